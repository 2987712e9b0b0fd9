import { ApiError } from '#lib/errors.ts'
import type { AgentSpec } from '#lib/schemas/manifest.ts'
import { type ToolServer, toolServerIn } from '#server/agents/tool-server.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorOfCall } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { isBoundTo } from '#server/secrets/store.ts'
import type { SecretSender } from '#server/secrets/use-value.ts'
import { ReleaseContent } from './content.ts'
import { secretPlaces } from './endpoint-rows.ts'
import { listApprovedNaming } from './store.ts'

type Pair = { secret: string; origin: string }

const perBatch = 50

/**
 * For whom each tool server of a proposed manifest is asked for its tools, which happens before anyone has approved its address. Throws
 * `not_ready` if one of them would receive a secret that the proposer may not send there. The error is the same for a secret that does
 * not exist, so that names can't be guessed.
 */
export async function sendersBeforeApproval(
  { tenant, principal, requestId }: Caller,
  spec: AgentSpec,
): Promise<(server: ToolServer) => SecretSender> {
  const free = new Set<string>()
  const mayRead = principal.permissions.has('secret:read_value')
  await runtime().database.inTenant(tenant.id, async (tx) => {
    for (const pair of spec.tools.map(toolServerIn).flatMap(pairOf)) {
      if (mayRead || (await wasApproved(tx, tenant.id, pair))) free.add(keyOf(pair))
      else if (!(await isBoundTo(tx, tenant.id, pair.secret, pair.origin))) throw notYet(pair)
    }
  })
  return (server) => {
    const isFree = pairOf(server).every((pair) => free.has(keyOf(pair)))
    return { actor: actorOfCall(principal), requestId, unbound: isFree ? 'sent' : 'refused' }
  }
}

const notYet = ({ secret, origin }: Pair) =>
  new ApiError(
    'not_ready',
    `The secret ${secret} may not be sent to ${origin} before this address is approved: ask a tenant administrator to add it to the secret’s destinations.`,
  )

/** An address that can't be parsed is refused by the connection. */
const pairOf = ({ url, secretRef }: ToolServer): Pair[] =>
  url === undefined || secretRef === undefined || !URL.canParse(url)
    ? []
    : [{ secret: secretRef, origin: new URL(url).origin }]

const keyOf = ({ secret, origin }: Pair): string => `${origin} ${secret}`

/** Whether people have approved a release of the tenant that sends this secret to this origin. */
async function wasApproved(tx: Transaction, tenantId: string, { secret, origin }: Pair): Promise<boolean> {
  for (let cursor: string | undefined; ; ) {
    const batch = await listApprovedNaming(tx, tenantId, secret, perBatch, cursor)
    const found = batch.find(({ content }) =>
      secretPlaces(ReleaseContent.parse(content)).some(
        ({ url, secretRef }) => secretRef === secret && URL.canParse(url) && new URL(url).origin === origin,
      ),
    )
    if (found !== undefined) await requireBound(tx, tenantId, 'release', [found.id])
    if (found !== undefined || batch.length < perBatch) return found !== undefined
    cursor = batch.at(-1)?.id
  }
}
