"""The bars of issue 5."""

import bars_5_cut
import bars_5_schedules

BARS = sorted(bars_5_cut.BARS + bars_5_schedules.BARS, key=lambda bar: bar.number)
