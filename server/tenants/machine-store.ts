import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

type Machine = {
  tenantId: string
  id: string
  kind: 'service_account' | 'api_key'
  issuer: string
  subject: string
  username: string
  displayName: string
  roles: string[]
}

export async function insertMachine(tx: Transaction, row: Machine): Promise<void> {
  await tx
    .insertInto('members')
    .values({ ...row, status: 'active', email: null })
    .execute()
}

/** Inserts the link unless it exists. */
export async function insertLink(
  tx: Transaction,
  row: { tenantId: string; memberId: string; personId: string; link: 'created' | 'rotated' | 'token' },
): Promise<void> {
  await tx
    .insertInto('memberSponsors')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A member of any status with this name as user name or e-mail address. */
export const findMemberNamed = (tx: Transaction, tenantId: string, name: string) =>
  tx
    .selectFrom('members')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where((where) => where.or([where('username', '=', name), where('email', '=', name)]))
    .limit(1)
    .executeTakeFirst()

const columns = ['id', 'subject', 'displayName', 'roles', 'status', 'createdAt'] as const

export const lockMachine = (tx: Transaction, tenantId: string, issuer: string, subject: string) =>
  tx
    .selectFrom('members')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('kind', '=', 'service_account')
    .where('status', '<>', 'removed')
    .forUpdate()
    .executeTakeFirst()

/** A service account of any issuer, locked until the transaction ends. */
export const lockServiceAccountById = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('members')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('kind', '=', 'service_account')
    .where('status', '<>', 'removed')
    .forUpdate()
    .executeTakeFirst()

/** Switches between active and suspended, from either status. */
export async function setMachineStatus(
  tx: Transaction,
  tenantId: string,
  id: string,
  status: 'active' | 'suspended',
): Promise<void> {
  await tx
    .updateTable('members')
    .set((e) => ({
      status,
      ...(status === 'suspended' ? { tokensNotBefore: new Date() } : {}),
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', 'in', ['active', 'suspended'])
    .where('status', '<>', status)
    .execute()
}

/** Permanent: sockets and streams of the machine end, too. */
export async function setMachineRemoved(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .updateTable('members')
    .set((e) => ({ status: 'removed', revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('kind', '<>', 'person')
    .where('status', '<>', 'removed')
    .execute()
}

/** Service accounts of one issuer, newest first, each with its last use. */
export const listMachines = (
  tx: Transaction,
  tenantId: string,
  issuer: string,
  limit: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom('members as member')
    .leftJoin('machineUses as use', (join) =>
      join.onRef('use.tenantId', '=', 'member.tenantId').onRef('use.memberId', '=', 'member.id'),
    )
    .select(columns.map((column) => `member.${column}` as const))
    .select('use.usedAt')
    .where('member.tenantId', '=', tenantId)
    .where('member.issuer', '=', issuer)
    .where('member.kind', '=', 'service_account')
    .where('member.status', '<>', 'removed')
    .$if(cursor !== undefined, (q) => q.where('member.id', '<', cursor ?? ''))
    .orderBy('member.id', 'desc')
    .limit(limit)
    .execute()

/** Serializes checking that a name is free and taking it; held until the transaction ends. */
export async function lockNames(tx: Transaction, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`machine names of ${tenantId}`}, 0))`.execute(tx)
}
