"""Reads an archive with packages that others wrote: a ZIP with Python's own zipfile, an extracted bag with bagit."""

import sys
import zipfile

kind, path = sys.argv[1:]
if kind == "zipfile":
    with zipfile.ZipFile(path) as archive:
        damaged = archive.testzip()
        if damaged is not None:
            sys.exit(f"{damaged} is damaged")
        print(len(archive.namelist()))
else:
    import bagit

    bag = bagit.Bag(path)
    bag.validate(processes=1)
    print(len(bag.payload_entries()))
