# A build without tuner/machine says so wherever that is asked for, and compiles all the same.
at --help | grep AT_MACHINE
at explain 64x64 f32
at explain --help
at check --help | grep AT_MACHINE
at check transpose --execute
"$AUTOTUNE" completions bash | bash -n && echo well
