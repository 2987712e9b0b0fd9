#!/usr/bin/env node
// `npm run db:types`: migrates a temporary database and writes server/kernel/db/schema.ts from it.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from './arguments/read-arguments.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

readArguments(`npm run db:types

Writes server/kernel/db/schema.ts from the migrations.`)
await continueOnPinnedNode()
const { openEmbeddedDatabase } = await import('../server/kernel/db/embedded.ts')
const { migrate } = await import('../server/kernel/db/migrate.ts')

const root = join(import.meta.dirname, '..')
const dataDir = mkdtempSync(join(tmpdir(), 'countersign-types-'))
chmodSync(dataDir, 0o711)
const database = await openEmbeddedDatabase({ dataDir, say: () => undefined })
await migrate(database.ownerUrl)
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/kysely-codegen/dist/cli/bin.js'), '--config-file', '.kysely-codegenrc.json'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, DATABASE_URL: database.ownerUrl } },
)
await database.release()
rmSync(dataDir, { recursive: true, force: true })
process.exit(status ?? 1)
