#!/usr/bin/env node
// `npm run backup -- --help`: writes all data of a server, which may be running, to one file.
import { runCommand } from './arguments/run-command.mjs'

await runCommand(async () => (await import('../server/backup-command.ts')).runBackupCommand)
