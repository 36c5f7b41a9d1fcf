at
at --version
at tune --help
at query --help
at export --help
at show --help
at list --help
at space --help
at check --help
at run --help
at adopt --help
at cache --help
at import --help
at merge --help
