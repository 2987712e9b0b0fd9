#!/usr/bin/env node
// `npm run demo`: makes a demo tenant with two weeks of work in it, with or without a running server.
import { runCommand } from './arguments/run-command.mjs'

await runCommand(async () => (await import('../server/demo-command.ts')).runDemoCommand)
