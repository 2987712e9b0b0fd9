"""A LangGraph agent that calls its tools through Countersign: python langgraph_agent.py 'Where is order A-1003?'"""

import asyncio
import os
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


async def main():
    url = f"{os.environ['COUNTERSIGN_URL']}/v1/mcp/{os.environ['AGENT']}/payments"
    headers = {"Authorization": f"Bearer {os.environ['COUNTERSIGN_TOKEN']}"}
    client = MultiServerMCPClient({"payments": {"transport": "streamable_http", "url": url, "headers": headers}})
    tools = await client.get_tools()
    model = ChatOpenAI(model="small-1").bind_tools(tools)
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    answer = await graph.compile().ainvoke({"messages": [("user", sys.argv[1])]})
    print(answer["messages"][-1].content)


asyncio.run(main())
