import { type OwnSession, OwnSessions } from '#lib/schemas/sessions.ts'
import { isForeignClient } from '#server/identity/clients/foreign-clients.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { isCurrent, ownAccount } from './own-sessions.ts'
import { programsOf } from './programs.ts'
import { findRenewals, findSessions, type Seen, type SessionRow } from './store.ts'

/**
 * sessions.list: the caller's sessions at the tenant's realm. None for machines, for members who signed in to another
 * organisation, and with an external identity provider.
 */
export const list = query({
  permission: 'any',
  input: noInput,
  output: OwnSessions,
  async run({ tx, tenant, principal }) {
    const account = ownAccount(tenant, principal)
    if (account === undefined) return { sessions: [] }
    const rows = await findSessions(tx, account, { limit: 100 })
    const renewals = await findRenewals(tx, account)
    const programsIn = await programsOf(tx, tenant.id, rows)
    const view = (row: SessionRow): OwnSession => {
      const programs = programsIn(row)
      // A program whose access ended remains among the grants until the session ends.
      const hasAccess = (clientId: string) =>
        !isForeignClient(clientId) || programs.some((program) => program.clientId === clientId)
      const seen = latest([row.seen, ...renewals.filter(({ uid }) => uid === row.uid).map((renewal) => renewal.seen)])
      return {
        id: row.uid,
        current: isCurrent(principal, row.grants),
        // The browser of the sign-in: the command line renews its tokens itself, and does not name a device.
        device: row.seen?.device ?? null,
        address: seen?.address ?? null,
        applications: Object.keys(row.grants).filter(hasAccess).sort(),
        programs,
        signedInAt: row.signedInAt.toISOString(),
        lastUsedAt: seen?.at ?? null,
        expiresAt: row.expiresAt.toISOString(),
      }
    }
    return { sessions: rows.map(view) }
  },
})

/** Times are ISO 8601 in UTC, so their text is in their order. */
const latest = (all: readonly (Seen | null)[]): Seen | undefined =>
  all.filter((seen) => seen !== null).sort((a, b) => (a.at < b.at ? 1 : -1))[0]
