#!/usr/bin/env node
// `npm run restore -- --help`: restores a backup into an empty DATA_DIR and database.
import { runCommand } from './arguments/run-command.mjs'

await runCommand(async () => (await import('../server/backup-command.ts')).runRestoreCommand)
