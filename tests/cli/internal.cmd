# A device runner that breaks the protocol between our own processes: a bug, and none of the user's.
cat >runner <<'END'
#!/bin/sh
printf '\143\0\0\0\0\0\0\0' >&3
END
chmod +x runner
export AUTOTUNE_EXE=$work/runner
at list devices
at tune --device 0 4096x4096 --db none.db
