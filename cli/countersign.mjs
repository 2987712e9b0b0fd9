#!/usr/bin/env node
// `npx .` in the clone: the command line, bundled first if its files or the server's have changed. Must parse on Node 20.
import { pathToFileURL } from 'node:url'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()
const { buildServer } = await import('./build-server.mjs')
await buildServer()
const { buildCommandLine, COMMAND_LINE } = await import('./build-command-line.mjs')
await buildCommandLine()
await import(pathToFileURL(COMMAND_LINE).href)
