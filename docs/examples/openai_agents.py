"""OpenAI's Agents SDK with tools through Countersign: python openai_agents.py 'Where is order A-1003?'"""

import asyncio
import os
import sys

from agents import Agent, Runner, set_default_openai_api
from agents.mcp import MCPServerStreamableHttp

# The form of the API that every OpenAI-compatible endpoint has.
set_default_openai_api("chat_completions")


async def main():
    url = f"{os.environ['COUNTERSIGN_URL']}/v1/mcp/{os.environ['AGENT']}/payments"
    headers = {"Authorization": f"Bearer {os.environ['COUNTERSIGN_TOKEN']}"}
    # Longer than the default of five seconds, because a call may be held for people.
    async with MCPServerStreamableHttp(
        params={"url": url, "headers": headers, "timeout": 65}, client_session_timeout_seconds=65
    ) as payments:
        agent = Agent(name="Refund assistant", model="small-1", mcp_servers=[payments])
        result = await Runner.run(agent, sys.argv[1])
        print(result.final_output)


asyncio.run(main())
