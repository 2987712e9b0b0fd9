import type { z } from 'zod'
import { type Release, ReleaseStatus } from '#lib/schemas/agents.ts'
import type { Actor } from '#lib/schemas/common.ts'
import type { listReleases } from './store.ts'

type Row = Awaited<ReturnType<typeof listReleases>>[number]

export const releaseView = (row: Row, actor: (id: string) => Actor): z.infer<typeof Release> => ({
  id: row.id,
  agentId: row.agentId,
  agentName: row.agentName,
  version: row.version,
  environment: row.environment,
  digest: row.digest,
  status: ReleaseStatus.parse(row.status),
  approvalId: row.approvalId,
  proposedBy: actor(row.proposedBy),
  revision: row.revision,
  createdAt: row.createdAt.toISOString(),
  decidedAt: row.decidedAt?.toISOString() ?? null,
})
