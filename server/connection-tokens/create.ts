import { ApiError } from '#lib/errors.ts'
import { connectionTokenDays, whyNotConnect } from '#lib/rules/service-accounts.ts'
import { CreateConnectionTokenInput, CreateConnectionTokenOutput } from '#lib/schemas/connection-tokens.ts'
import { listUnknownAgents } from '#server/agents/store.ts'
import { connectionTokenDigest, newConnectionToken } from '#server/kernel/auth/connection-tokens/token-format.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { lockServiceAccountById } from '#server/tenants/machine-store.ts'
import { tieToMaker } from '#server/tenants/machines.ts'
import { insertToken } from './store.ts'
import { tokenView } from './view.ts'

const dayMs = 86_400_000

/**
 * Creates a lasting credential of a service account for clients that can only send a fixed header. Only this response
 * contains the token itself. From then on, the caller counts as one identity with the account.
 */
export const create = mutation({
  permission: 'service-account:manage',
  input: CreateConnectionTokenInput,
  output: CreateConnectionTokenOutput,
  showsSecrets: true,
  replay: ({ token: _shownOnce, ...rest }) => rest,
  audit: ({ name, serviceAccountId, use, agents }, output) => ({
    action: 'connection_token.created',
    resource: { type: 'connection_token', id: output?.id ?? name },
    details: {
      name,
      serviceAccountId,
      use,
      agents: agents ?? null,
      expiresAt: output?.connectionToken.expiresAt ?? null,
    },
  }),
  async run({ tx, tenant, principal, input }) {
    const { name, use } = input
    const account = await lockServiceAccountById(tx, tenant.id, input.serviceAccountId)
    if (account === undefined)
      throw new ApiError(
        'validation_failed',
        'serviceAccountId: The tenant does not have a service account with this id.',
      )
    if (account.status !== 'active')
      throw new ApiError('conflict', 'This service account is disabled. Enable it before you create a token for it.')
    const blocked = whyNotConnect(use, account.roles)
    if (blocked !== undefined) throw refuse('conflict', blocked.message)
    const agents = input.agents === undefined ? null : [...new Set(input.agents)]
    // The gateway serves registered agents only. Telemetry may name others, which the agent's owner chooses.
    const unknown = use === 'gateway' ? await listUnknownAgents(tx, tenant.id, agents ?? []) : []
    if (unknown.length > 0)
      throw new ApiError('validation_failed', `agents: No agent is registered under the name ${unknown.join(', ')}.`)
    const now = Date.now()
    const wanted = input.expiresAt === undefined ? now + connectionTokenDays.usual * dayMs : Date.parse(input.expiresAt)
    const [id, token] = [newId(), newConnectionToken()]
    await insertToken(tx, {
      tenantId: tenant.id,
      id,
      memberId: account.id,
      name,
      use,
      agents,
      tokenSha256: connectionTokenDigest(token),
      createdBy: principal.memberId,
      expiresAt: new Date(Math.min(wanted, now + connectionTokenDays.most * dayMs)),
    })
    await tieToMaker(tx, tenant.id, account.id, principal.memberId, 'token')
    return { id, token, connectionToken: await tokenView(tx, tenant.id, id) }
  },
})
