#!/usr/bin/env node
// `npm run tenant -- --help`: manages tenants, with or without a running server.
import { runCommand } from './arguments/run-command.mjs'

await runCommand(async () => (await import('../server/tenant-command.ts')).runTenantCommand)
