// Holds the precompiled header that all compiler libraries reuse.
