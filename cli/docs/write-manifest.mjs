#!/usr/bin/env node
// `npm run docs:manifest`: writes docs/manifest.md from lib/schemas/manifest.ts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '../arguments/read-arguments.mjs'
import { continueOnPinnedNode } from '../pinned-node.mjs'

readArguments(`npm run docs:manifest

Writes docs/manifest.md from lib/schemas/manifest.ts.`)
await continueOnPinnedNode()
const { manifestReference } = await import('./manifest-reference.ts')
const { wireLimits } = await import('../../server/kernel/limits.ts')
writeFileSync(join(import.meta.dirname, '../../docs/manifest.md'), manifestReference(wireLimits.manifest))
