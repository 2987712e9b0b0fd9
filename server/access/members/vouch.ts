import { type VouchFacts, whyNotVouch } from '#lib/rules/members.ts'
import { MemberOutput, VouchInput } from '#lib/schemas/members.ts'
import { findLinkEnds } from '#server/identity/links/link-store.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { findMember } from '#server/kernel/auth/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findLinksOf, setProved } from '#server/tenants/account-link-store.ts'
import { samePerson } from '#server/tenants/identities.ts'
import type { MemberRow } from '#server/tenants/member-store.ts'
import { requirePerson } from './require-person.ts'
import { lockTarget, stopWhen } from './target.ts'
import { memberView } from './view.ts'

/**
 * The caller states on the record that the holder of an account controls it: from then on, those who invited or reset it no longer
 * count as the holder. The caller answers for the account as it is, including requests that it has already made.
 */
export const vouch = mutation({
  permission: 'member:manage',
  input: VouchInput,
  output: MemberOutput,
  audit: (input) => ({ action: 'member.vouched', resource: { type: 'member', id: input.id }, reason: input.reason }),
  async run({ tx, tenant, principal, input, note }) {
    requirePerson(principal, 'vouch for an account')
    const { member } = await lockTarget(tx, { tenant, principal }, input)
    const links = (await findLinksOf(tx, tenant.id, member)).filter(
      (link) => link.provedAt === null || link.proof === 'before',
    )
    stopWhen(whyNotVouch(await factsOf(tx, { tenant, principal }, member, links)))
    await setProved(
      tx,
      tenant.id,
      links.map(({ id }) => id),
      { by: 'vouch', voucherId: principal.memberId },
    )
    note({
      for: links.map(({ kind, createdAt, byIssuer, bySubject }) => ({
        kind,
        at: createdAt.toISOString(),
        by: bySubject === null ? null : { issuer: byIssuer, subject: bySubject },
      })),
    })
    return { member: await memberView(tx, tenant, member.id) }
  },
})

type Link = Awaited<ReturnType<typeof findLinksOf>>[number]

async function factsOf(
  tx: Transaction,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  member: MemberRow,
  links: readonly Link[],
): Promise<VouchFacts> {
  const isForeign = member.issuer !== issuerOf(tenant.slug)
  const open = isForeign ? [] : await findLinkEnds(tx, tenant.id, [member.subject])
  const awaits = links.some((link) => link.provedAt === null) ? 'proof' : links.length > 0 ? 'review' : undefined
  return {
    kind: member.kind === 'person' ? 'person' : 'service_account',
    status: member.status,
    isForeign,
    hasOpenLink: open.length > 0,
    awaits,
    identityLink: await callerLink(tx, tenant.id, principal.memberId, member, links),
  }
}

/** Why the caller counts as the account, or as one of those who could take it. */
async function callerLink(
  tx: Transaction,
  tenantId: string,
  callerId: string,
  member: MemberRow,
  links: readonly Link[],
): Promise<string | undefined> {
  const role = 'would be vouched for'
  const own = await samePerson(tx, tenantId, callerId, {
    memberId: member.id,
    link: 'are the holder of this account',
    role,
  })
  if (own !== undefined) return own
  for (const { byIssuer, bySubject, kind } of links) {
    if (byIssuer === null || bySubject === null) continue
    const person = await findMember(tx, tenantId, byIssuer, bySubject)
    if (person === undefined) continue
    const link = `${kind} this account`
    const same = await samePerson(tx, tenantId, callerId, { memberId: person.id, link, role: link })
    if (same !== undefined) return same
  }
  return undefined
}
