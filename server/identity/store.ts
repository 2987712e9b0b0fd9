import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

/** A person of the realm who may get tokens: not disabled, and an active member of the realm's tenant. */
export const findPerson = (tx: Transaction, tenantId: string, issuer: string, userId: string) =>
  tx
    .selectFrom('realmUsers as user')
    .innerJoin('members as member', (join) =>
      join
        .onRef('member.tenantId', '=', 'user.tenantId')
        .on('member.issuer', '=', issuer)
        .on('member.subject', '=', userId)
        .on('member.status', '=', 'active'),
    )
    .select(['user.username', 'user.displayName', 'user.email', 'member.roles', 'member.tokensNotBefore'])
    .where('user.tenantId', '=', tenantId)
    .where('user.id', '=', userId)
    .where('user.disabledAt', 'is', null)
    .executeTakeFirst()

/** The service account's membership and roles; undefined unless the membership is active and its client enabled. */
export const findServiceAccount = async (tx: Transaction, tenantId: string, issuer: string, clientId: string) =>
  (await serviceAccounts(tx, { tenantId, issuer, clientId }))[0]

const serviceAccounts = fixedStatement({ tenantId: '', issuer: '', clientId: '' }, (tx, given) =>
  tx
    .selectFrom('members as member')
    .innerJoin('realmClients as client', (join) =>
      join.onRef('client.tenantId', '=', 'member.tenantId').onRef('client.clientId', '=', 'member.subject'),
    )
    .select(['member.id as memberId', 'member.username', 'member.roles', 'member.tokensNotBefore'])
    .where('member.tenantId', '=', given.tenantId)
    .where('member.issuer', '=', given.issuer)
    .where('member.subject', '=', given.clientId)
    .where('member.status', '=', 'active')
    .where('client.kind', '=', 'service')
    .where('client.disabledAt', 'is', null),
)

export const findUserByName = (tx: Transaction, tenantId: string, username: string) =>
  tx
    .selectFrom('realmUsers')
    .select(['id', 'passwordHash', 'disabledAt'])
    .where('tenantId', '=', tenantId)
    .where('username', '=', username)
    .executeTakeFirst()

export async function insertUser(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    username: string
    passwordHash: string | null
    displayName: string
    email: string | null
  },
): Promise<void> {
  await tx.insertInto('realmUsers').values(row).execute()
}

export async function insertClient(
  tx: Transaction,
  row: { tenantId: string; clientId: string; kind: 'console' | 'cli' | 'service' },
): Promise<void> {
  await tx.insertInto('realmClients').values(row).execute()
}

export async function insertClientSecret(
  tx: Transaction,
  row: { tenantId: string; clientId: string; id: string; secretSha256: Buffer; notAfter: Date | null },
): Promise<void> {
  await tx.insertInto('realmClientSecrets').values(row).execute()
}

export const findClient = async (tx: Transaction, tenantId: string, clientId: string) =>
  (await enabledClients(tx, { tenantId, clientId }))[0]

const enabledClients = fixedStatement({ tenantId: '', clientId: '' }, (tx, given) =>
  tx
    .selectFrom('realmClients')
    .select(['clientId', 'kind'])
    .where('tenantId', '=', given.tenantId)
    .where('clientId', '=', given.clientId)
    .where('disabledAt', 'is', null),
)

/** Digests of the secrets that are live now; several overlap during a rotation. */
export async function findLiveSecrets(tx: Transaction, tenantId: string, clientId: string): Promise<Buffer[]> {
  const rows = await liveSecrets(tx, { tenantId, clientId })
  return rows.map((row) => row.secretSha256)
}

const liveSecrets = fixedStatement({ tenantId: '', clientId: '' }, (tx, given) =>
  tx
    .selectFrom('realmClientSecrets as secret')
    .innerJoin('realmClients as client', (join) =>
      join.onRef('client.tenantId', '=', 'secret.tenantId').onRef('client.clientId', '=', 'secret.clientId'),
    )
    .select('secret.secretSha256')
    .where('secret.tenantId', '=', given.tenantId)
    .where('secret.clientId', '=', given.clientId)
    .where('client.kind', '=', 'service')
    .where('client.disabledAt', 'is', null)
    .where((where) =>
      where.or([where('secret.notAfter', 'is', null), where('secret.notAfter', '>', sql<Date>`now()`)]),
    ),
)

/**
 * Sets the account's last sign-in to now. Waits for a transaction that is changing the password, and returns false if
 * `passwordHash`, with which the password was verified, is no longer stored.
 */
export async function setSignedIn(
  tx: Transaction,
  tenantId: string,
  { subject, passwordHash }: { subject: string; passwordHash: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('realmUsers')
    .set({ signedInAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', subject)
    .where('passwordHash', '=', passwordHash)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** When these accounts last signed in, by the account. Those that never did are left out. */
export async function findSignIns(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Date>> {
  if (ids.length === 0) return new Map()
  const rows = await signIns(tx, { tenantId, ids })
  return new Map(rows.flatMap(({ id, signedInAt }) => (signedInAt === null ? [] : [[id, signedInAt] as const])))
}

const signIns = fixedStatement({ tenantId: '', ids: [''] }, (tx, { tenantId, ids }) =>
  tx
    .selectFrom('realmUsers')
    .select(['id', 'signedInAt'])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`),
)
