import { provedByMail } from '#lib/rules/identity.ts'
import { findMember } from '#server/kernel/auth/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import {
  findLinksOf,
  insertAccountLink,
  type PrincipalRef,
  setAddressConfirmed,
  setMailUsed,
  setProved,
} from './account-link-store.ts'
import { samePerson } from './identities.ts'

// Who could take an account, and what proves that its holder controls it (docs/decisions/0026-one-person.md).

type Row = Awaited<ReturnType<typeof findLinksOf>>[number]

const isOpen = (row: Row): boolean => row.provedAt === null

/** A member who invites or resets counts as the account, until it is proved that its holder controls it. */
export const tieToPerson = (
  tx: Transaction,
  tenantId: string,
  link: {
    account: PrincipalRef
    kind: 'invited' | 'reset'
    by: PrincipalRef
    mailed: boolean
    passkeysRemoved?: string[]
  },
): Promise<void> => insertAccountLink(tx, { tenantId, ...link })

/** The operator created or reset the account: earlier links are proved with it. */
export async function proveByOperator(
  tx: Transaction,
  tenantId: string,
  account: PrincipalRef,
  kind: 'created' | 'reset',
): Promise<void> {
  const open = (await findLinksOf(tx, tenantId, account)).filter(isOpen)
  await setProved(
    tx,
    tenantId,
    open.map(({ id }) => id),
    { by: 'operator' },
  )
  await insertAccountLink(tx, { tenantId, account, kind, by: undefined, proof: 'operator' })
}

/** The holder has used a link that was sent to the account's address and shown to no one. */
export async function proveByMail(tx: Transaction, tenantId: string, account: PrincipalRef): Promise<void> {
  await setMailUsed(tx, tenantId, account)
  await settleMail(tx, tenantId, account)
}

/** A second person, who is not the one who invited, has confirmed the account's address. */
export async function confirmAddress(
  tx: Transaction,
  tenantId: string,
  account: PrincipalRef,
  deciders: readonly string[],
): Promise<void> {
  const invitation = invitationOf(await findLinksOf(tx, tenantId, account))
  const inviter = invitation && (await findMember(tx, tenantId, invitation.byIssuer, invitation.bySubject))
  if (inviter === undefined) return
  for (const memberId of deciders) {
    const same = await samePerson(tx, tenantId, memberId, { memberId: inviter.id, link: 'invited', role: 'invited' })
    if (same !== undefined) continue
    await setAddressConfirmed(tx, tenantId, account, memberId)
    return await settleMail(tx, tenantId, account)
  }
}

/** Proves the open links for which the used mail is proof. */
async function settleMail(tx: Transaction, tenantId: string, account: PrincipalRef): Promise<void> {
  const rows = await findLinksOf(tx, tenantId, account)
  const provable = (row: Row & { bySubject: string }) => ({
    id: row.id,
    kind: row.kind === 'invited' ? ('invited' as const) : ('reset' as const),
    holder: `${row.byIssuer} ${row.bySubject}`,
    addressConfirmed: row.addressConfirmedBy !== null,
  })
  const open = rows.filter(byPerson).filter((row) => isOpen(row) && row.mailUsedAt !== null)
  if (open.length === 0) return
  const invitation = invitationOf(rows)
  const same = invitation === undefined ? [] : await sameAs(tx, tenantId, invitation, open)
  const proved = provedByMail(open.map(provable), invitation && provable(invitation), same)
  await setProved(
    tx,
    tenantId,
    proved.map(({ id }) => id),
    { by: 'mail' },
  )
}

type RowByPerson = Row & { byIssuer: string; bySubject: string }
const byPerson = (row: Row): row is RowByPerson => row.byIssuer !== null && row.bySubject !== null

const invitationOf = (rows: readonly Row[]): RowByPerson | undefined =>
  rows.filter(byPerson).find(({ kind }) => kind === 'invited')

/** Those of the links' people who count as the person who invited. */
async function sameAs(
  tx: Transaction,
  tenantId: string,
  invitation: RowByPerson,
  links: readonly RowByPerson[],
): Promise<string[]> {
  const inviter = await findMember(tx, tenantId, invitation.byIssuer, invitation.bySubject)
  const same: string[] = []
  for (const { byIssuer, bySubject } of links) {
    const person = await findMember(tx, tenantId, byIssuer, bySubject)
    const link =
      person === undefined || inviter === undefined
        ? undefined
        : await samePerson(tx, tenantId, person.id, { memberId: inviter.id, link: 'invited', role: 'invited' })
    if (link !== undefined) same.push(`${byIssuer} ${bySubject}`)
  }
  return same
}
