import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { newId } from '#server/kernel/ids.ts'

export type PrincipalRef = { issuer: string; subject: string }
export type Proof = 'operator' | 'provider' | 'before' | 'mail' | 'vouch'

const now = sql<Date>`clock_timestamp()`

export async function insertAccountLink(
  tx: Transaction,
  row: {
    tenantId: string
    account: PrincipalRef
    kind: 'created' | 'invited' | 'reset'
    /** The person who could take the account; undefined: the operator or an identity provider, which is proof. */
    by: PrincipalRef | undefined
    proof?: 'operator' | 'provider'
    mailed?: boolean
    passkeysRemoved?: string[]
  },
): Promise<void> {
  const { account, by, proof, ...values } = row
  await tx
    .insertInto('accountLinks')
    .values({
      ...values,
      id: newId(),
      issuer: account.issuer,
      subject: account.subject,
      byIssuer: by?.issuer ?? null,
      bySubject: by?.subject ?? null,
      proof: proof ?? null,
      provedAt: proof === undefined ? null : now,
    })
    .execute()
}

/**
 * Links that make members one person: those on the accounts of `memberIds`, and all others of the people who invited or reset
 * these accounts, or who are among `memberIds`. Rows of other tenants are included for accounts that are members here, under
 * a policy of the database. Accounts that a voucher answers for are left out.
 */
export async function findLinksAround(tx: Transaction, tenantId: string, memberIds: readonly string[]) {
  const [memberId, ...others] = memberIds
  if (memberId === undefined) return []
  return others.length === 0 ? await linksOfOne(tx, { tenantId, memberId }) : await links(tx, { tenantId, memberIds })
}

export type LinkRow = {
  id: string
  accountId: string
  accountName: string
  holder: string
  holderId: string | null
  holderName: string | null
  kind: string
  createdAt: Date
  proof: string | null
  provedAt: Date | null
}

/** The same of one member, as part of a larger statement. */
export const readLinksAround = (tenantId: string, memberId: string) =>
  linksAround(tenantId, sql`id = ${memberId}::uuid`)

const linksAround = (tenantId: string, wanted: RawBuilder<unknown>) =>
  sql<LinkRow>`
    with around as (
      select issuer, subject from members where tenant_id = ${tenantId} and ${wanted}
    ), holders as (
      select issuer, subject from around
      union
      select link.by_issuer, link.by_subject from account_links link
      join around on around.issuer = link.issuer and around.subject = link.subject
      where link.proved_at is null
    )
    select link.id, account.id as account_id, account.display_name as account_name,
      link.by_issuer || ' ' || link.by_subject as holder, person.id as holder_id, person.display_name as holder_name,
      link.kind, link.created_at, link.proof, link.proved_at
    from holders
    join account_links link on link.by_issuer = holders.issuer and link.by_subject = holders.subject
    join members account on account.tenant_id = ${tenantId}
      and account.issuer = link.issuer and account.subject = link.subject
    left join members person on person.tenant_id = ${tenantId}
      and person.issuer = link.by_issuer and person.subject = link.by_subject
    where link.proof is distinct from 'vouch'
    order by link.id`

const inOrder = (tx: Transaction, found: RawBuilder<LinkRow>) =>
  tx.selectFrom(sql<LinkRow>`(${found})`.as('link')).selectAll().orderBy('link.id')
const links = fixedStatement({ tenantId: '', memberIds: [''] }, (tx, { tenantId, memberIds }) =>
  inOrder(tx, linksAround(tenantId, sql`id = any(${memberIds}::uuid[])`)),
)
/** Of one member, as most callers ask: PostgreSQL plans this once, but a statement with a list at every call (docs/decisions/0111). */
const linksOfOne = fixedStatement({ tenantId: '', memberId: '' }, (tx, { tenantId, memberId }) =>
  inOrder(tx, readLinksAround(tenantId, memberId)),
)

/** All links of an account in the tenant where they were made, oldest first. */
export const findLinksOf = (tx: Transaction, tenantId: string, { issuer, subject }: PrincipalRef) =>
  tx
    .selectFrom('accountLinks')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .orderBy('id')
    .execute()

/** The links of members, oldest first, with the names of the people; for guests also those of their own tenants. */
export const listLinksOfMembers = (tx: Transaction, tenantId: string, memberIds: readonly string[]) =>
  linksOfMembers(tx, { tenantId, memberIds })

const linksOfMembers = fixedStatement({ tenantId: '', memberIds: [''] }, (tx, { tenantId, memberIds }) =>
  tx
    .selectFrom('members as account')
    .innerJoin('accountLinks as link', (join) =>
      join.onRef('link.issuer', '=', 'account.issuer').onRef('link.subject', '=', 'account.subject'),
    )
    .leftJoin('members as person', (join) =>
      join
        .onRef('person.tenantId', '=', 'account.tenantId')
        .onRef('person.issuer', '=', 'link.byIssuer')
        .onRef('person.subject', '=', 'link.bySubject'),
    )
    .leftJoin('members as voucher', (join) =>
      join.onRef('voucher.tenantId', '=', 'link.tenantId').onRef('voucher.id', '=', 'link.vouchedBy'),
    )
    .select(['account.id as memberId', 'link.kind', 'link.mailed', 'link.createdAt', 'link.proof', 'link.provedAt'])
    .select(['person.id as personId', 'person.displayName as personName', 'voucher.displayName as voucherName'])
    .where('account.tenantId', '=', tenantId)
    .where(sql<boolean>`account.id = any(${memberIds}::uuid[])`)
    .orderBy('link.id'),
)

/** Proves these links. Links that are proved already stay as they are, except those from before. */
export async function setProved(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
  proof: { by: 'operator' | 'mail' } | { by: 'vouch'; voucherId: string },
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('accountLinks')
    .set({ proof: proof.by, provedAt: now, vouchedBy: proof.by === 'vouch' ? proof.voucherId : null })
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...ids])
    .where((where) => where.or([where('provedAt', 'is', null), where('proof', '=', 'before')]))
    .execute()
}

/** Notes on the account's open links that its holder has used a mailed link. */
export async function setMailUsed(tx: Transaction, tenantId: string, { issuer, subject }: PrincipalRef): Promise<void> {
  await tx
    .updateTable('accountLinks')
    .set({ mailUsedAt: now })
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('provedAt', 'is', null)
    .execute()
}

/** Notes on the account's invitation that a second person confirmed the address. */
export async function setAddressConfirmed(
  tx: Transaction,
  tenantId: string,
  { issuer, subject }: PrincipalRef,
  memberId: string,
): Promise<void> {
  await tx
    .updateTable('accountLinks')
    .set({ addressConfirmedBy: memberId })
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('kind', '=', 'invited')
    .where('addressConfirmedBy', 'is', null)
    .execute()
}

/** Resets of the account that its holder has not acknowledged. */
export const findResetsToAcknowledge = (tx: Transaction, tenantId: string, { issuer, subject }: PrincipalRef) =>
  tx
    .selectFrom('accountLinks as link')
    .leftJoin('members as person', (join) =>
      join
        .onRef('person.tenantId', '=', 'link.tenantId')
        .onRef('person.issuer', '=', 'link.byIssuer')
        .onRef('person.subject', '=', 'link.bySubject'),
    )
    .select(['link.id', 'link.createdAt', 'link.passkeysRemoved', 'person.displayName as personName'])
    .where('link.tenantId', '=', tenantId)
    .where('link.issuer', '=', issuer)
    .where('link.subject', '=', subject)
    .where('link.kind', '=', 'reset')
    .where('link.acknowledgedAt', 'is', null)
    .orderBy('link.id')
    .execute()

/** Undefined for an unknown reset. A second acknowledgement changes nothing. */
export async function setAcknowledged(
  tx: Transaction,
  tenantId: string,
  { issuer, subject }: PrincipalRef,
  id: string,
): Promise<'done' | 'before' | undefined> {
  const row = await tx
    .selectFrom('accountLinks')
    .select('acknowledgedAt')
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('kind', '=', 'reset')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.acknowledgedAt !== null) return 'before'
  await tx
    .updateTable('accountLinks')
    .set({ acknowledgedAt: now })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
  return 'done'
}

/** Gives people without a link one that says so, and returns these people, at most `limit` of them. */
export async function insertLinksBefore(tx: Transaction, tenantId: string, limit: number) {
  const people = await tx
    .selectFrom('members as member')
    .select(['member.id', 'member.username', 'member.issuer', 'member.subject'])
    .where('member.tenantId', '=', tenantId)
    .where('member.kind', '=', 'person')
    .where('member.status', '<>', 'removed')
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('accountLinks as link')
            .select('link.id')
            .whereRef('link.tenantId', '=', 'member.tenantId')
            .whereRef('link.issuer', '=', 'member.issuer')
            .whereRef('link.subject', '=', 'member.subject'),
        ),
      ),
    )
    .orderBy('member.id')
    .limit(limit)
    .execute()
  if (people.length > 0)
    await tx
      .insertInto('accountLinks')
      .values(
        people.map(({ issuer, subject }) => ({
          tenantId,
          id: newId(),
          issuer,
          subject,
          kind: 'created',
          proof: 'before',
          provedAt: now,
        })),
      )
      .execute()
  return people
}
