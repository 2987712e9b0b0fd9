import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { Digest, Id, JsonObject } from '#lib/schemas/common.ts'
import { AgentSpec } from '#lib/schemas/manifest.ts'

export const ReleasedTool = z.object({
  server: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: JsonObject,
  sideEffect: z.enum(['none', 'read', 'write', 'irreversible']),
  idempotent: z.boolean(),
  digest: Digest,
})
export type ReleasedTool = z.infer<typeof ReleasedTool>

/** What a release pins. Its JCS digest is the release's address: the same content is the same release. */
export const ReleaseContent = z.object({
  v: z.literal(1),
  agent: z.object({ id: Id, name: z.string(), displayName: z.string(), version: z.string(), manifestDigest: Digest }),
  environment: z.string(),
  spec: AgentSpec,
  tools: z.array(ReleasedTool),
})
export type ReleaseContent = z.infer<typeof ReleaseContent>

export const releaseDigest = (content: ReleaseContent): string =>
  `sha256:${createHash('sha256')
    .update(canonicalJson(content as JsonValue))
    .digest('hex')}`
