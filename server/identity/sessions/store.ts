import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** From where a session or its tokens were last used. */
export type Seen = { at: string; device: string; address: string }

/** A live session of the identity provider. `grants`: the ids of its grants by client. */
export type SessionRow = {
  uid: string
  signedInAt: Date
  expiresAt: Date
  grants: Record<string, string>
  seen: Seen | null
}

type Account = { tenantId: string; accountId: string }

const live = sql<boolean>`expires_at > now()`

/** The account's live sessions, the newest first. `uid` selects one of them. */
export const findSessions = (
  tx: Transaction,
  { tenantId, accountId }: Account,
  { uid, limit }: { uid?: string; limit?: number } = {},
): Promise<SessionRow[]> =>
  tx
    .selectFrom('realmArtifacts')
    .select([
      sql<string>`uid`.as('uid'),
      sql<Date>`to_timestamp((payload ->> 'loginTs')::bigint)`.as('signedInAt'),
      sql<Date>`expires_at`.as('expiresAt'),
      // Of each client only its grant: its other members are the library's own.
      sql<Record<string, string>>`(
        select coalesce(jsonb_object_agg(client, one ->> 'grantId'), '{}')
        from jsonb_each(coalesce(payload -> 'authorizations', '{}')) as clients (client, one)
        where one ->> 'grantId' is not null
      )`.as('grants'),
      sql<Seen | null>`payload -> 'seen'`.as('seen'),
    ])
    .where('tenantId', '=', tenantId)
    .where('model', '=', 'Session')
    .where(sql<string>`payload ->> 'accountId'`, '=', accountId)
    .where(sql<string>`payload ->> 'loginTs'`, 'is not', null)
    .where('uid', 'is not', null)
    .where(live)
    .$if(uid !== undefined, (query) => query.where('uid', '=', uid ?? ''))
    .orderBy('signedInAt', 'desc')
    .orderBy('uid')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()

/** What a client was allowed: addresses of the gateway. */
export type GrantRow = { family: string; resources: string[]; allowedAt: Date }

/** Those of the grants that have not ended, by the names of their families. */
export const findGrants = (tx: Transaction, tenantId: string, families: readonly string[]): Promise<GrantRow[]> =>
  tx
    .selectFrom('realmArtifacts')
    .select([
      'id as family',
      sql<string[]>`array(select jsonb_object_keys(coalesce(payload -> 'resources', '{}')) order by 1)`.as('resources'),
      sql<Date>`to_timestamp((payload ->> 'iat')::bigint)`.as('allowedAt'),
    ])
    .where('tenantId', '=', tenantId)
    .where('model', '=', 'Grant')
    .where('id', 'in', [...families])
    .where('consumedAt', 'is', null)
    .where(live)
    .execute()

/** Where the account's refresh tokens were last issued to, by the session that they belong to. */
export const findRenewals = (
  tx: Transaction,
  { tenantId, accountId }: Account,
): Promise<{ uid: string; seen: Seen }[]> =>
  tx
    .selectFrom('realmArtifacts')
    .select([sql<string>`payload ->> 'sessionUid'`.as('uid'), sql<Seen>`payload -> 'seen'`.as('seen')])
    .where('tenantId', '=', tenantId)
    .where('model', '=', 'RefreshToken')
    .where(sql<string>`payload ->> 'accountId'`, '=', accountId)
    .where(sql<string>`payload ->> 'sessionUid'`, 'is not', null)
    .where(sql<string>`payload -> 'seen' ->> 'at'`, 'is not', null)
    .where('consumedAt', 'is', null)
    .where(live)
    .execute()
