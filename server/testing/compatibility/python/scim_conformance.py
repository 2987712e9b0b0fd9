"""Runs the checks of scim2-tester against SCIM_URL, and prints a line for each. Exit code 1 if one of them fails."""

import os
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

http = Client(base_url=os.environ["SCIM_URL"], headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"})
results = check_server(SyncSCIMClient(http))
for result in results:
    print(result.status.name, result.title, result.resource_type or "", (result.reason or "").replace("\n", " "))
failed = [result for result in results if result.status not in (Status.SUCCESS, Status.COMPLIANT)]
for result in failed:
    print(result, file=sys.stderr)
sys.exit(1 if failed else 0)
