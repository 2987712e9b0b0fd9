import { Delivery } from '#lib/schemas/mail.ts'
import { AccountControl, type LinkMail, type Member } from '#lib/schemas/members.ts'
import { TenantSettings } from '#lib/schemas/tenants.ts'
import { findLinkEnds } from '#server/identity/links/link-store.ts'
import { findSignIns } from '#server/identity/store.ts'
import { isExternalIssuer } from '#server/kernel/auth/issuers/issuer.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findLinkMails } from '#server/mail/store.ts'
import { countPasskeysOf } from '#server/passkeys/store.ts'
import { listLinksOfMembers } from '#server/tenants/account-link-store.ts'
import { actorOf } from '#server/tenants/actors.ts'
import { findAdmins, findGroupNamesOf, findMemberById, type MemberRow } from '#server/tenants/member-store.ts'
import { findProvisionedAmong } from '#server/tenants/provider/provisioned-store.ts'
import { rolesComeFromToken } from '#server/tenants/provider/roles-from.ts'
import { findNewestTokens } from '#server/tenants/provider/token-store.ts'
import { findProposed, findResets } from '../changes/store.ts'

type TenantRef = Pick<Tenant, 'id' | 'slug' | 'settings'>

/** Members as an administrator sees them, with pending changes. */
export async function memberViews(
  tx: Transaction,
  { id: tenantId, slug, settings }: TenantRef,
  rows: readonly MemberRow[],
): Promise<Member[]> {
  const ids = rows.map((row) => row.id)
  const subjects = rows.filter((row) => row.kind === 'person').map((row) => row.subject)
  const linksOf = listLinksOfMembers(tx, tenantId, ids)
  // Sent together: one round trip, and another one only if the mail of a link is shown.
  const [groups, linkEnds, proposed, admins, links, proposedResets, tokens, signIns, passkeys, provisioned, mails] =
    await Promise.all([
      findGroupNamesOf(tx, tenantId, ids),
      findLinkEnds(tx, tenantId, subjects.filter(isUuid)),
      findProposed(tx, tenantId, 'role_grant', ids),
      findAdmins(tx, tenantId),
      linksOf,
      findResets(tx, tenantId, ids),
      findNewestTokens(tx, tenantId, ids),
      findSignIns(tx, tenantId, subjects.filter(isUuid)),
      countPasskeysOf(tx, tenantId, ids),
      findProvisionedAmong(
        tx,
        tenantId,
        rows.filter((row) => isExternalIssuer(row.issuer)).map((row) => row.id),
      ),
      linksOf.then((all) =>
        findLinkMails(
          tx,
          tenantId,
          ids.filter((id) => showsMail(newestOf(all, id))),
        ),
      ),
    ])
  const ends = new Map(linkEnds.map((row) => [row.userId, row.expiresAt]))
  const grants = new Map(proposed.map((row) => [row.subjectId, row]))
  const resets = new Map(proposedResets.map((row) => [row.subjectId, row]))
  const rules = TenantSettings.parse(settings)
  return rows.map((row) => {
    const grant = grants.get(row.id)
    const roles = grant?.change.roles
    const reset = resets.get(row.id)
    const own = links.filter((link) => link.memberId === row.id)
    const isForeign = row.issuer !== issuerOf(slug)
    return {
      ...actorOf(row),
      email: row.email,
      roles: row.roles,
      status: row.status,
      groups: groups.filter((group) => group.memberId === row.id).map((group) => group.displayName),
      linkExpiresAt: ends.get(row.subject)?.toISOString() ?? null,
      pendingRoles: Array.isArray(roles) ? roles.map(String) : [],
      pendingApprovalId: grant?.approvalId ?? null,
      linkMail: isForeign ? null : linkMailOf(newestOf(links, row.id), mails.get(row.id)),
      control: row.kind === 'person' ? controlOf(own, row) : null,
      pendingReset:
        reset === undefined
          ? null
          : { approvalId: reset.approvalId, approved: reset.status === 'approved', requestedBy: reset.proposedBy },
      isLastAdmin: admins.length === 1 && admins[0]?.id === row.id,
      isForeign,
      issuer: isExternalIssuer(row.issuer) ? row.issuer : null,
      provisioned: provisioned.has(row.id) ? { externalId: row.subject } : null,
      rolesFrom: rolesComeFromToken(rules, row) ? row.issuer : null,
      tokenIssuedAt: tokens.get(row.id)?.toISOString() ?? null,
      lastSignInAt: latest(signIns.get(row.subject), tokens.get(row.id))?.toISOString() ?? null,
      passkeys: passkeys.get(row.id) ?? 0,
      createdAt: row.createdAt.toISOString(),
      revision: row.revision,
    }
  })
}

/** A token of another provider is the only sign of a sign-in there. */
const latest = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one

type Link = Awaited<ReturnType<typeof listLinksOfMembers>>[number]

const newestOf = (links: readonly Link[], memberId: string): Link | undefined =>
  links.findLast((link) => link.memberId === memberId)

/** Whether the person was mailed a link, and has not used it. */
const showsMail = (newest: Link | undefined): boolean => newest?.provedAt === null && newest.mailed

/** A member without a record is from before, too: a process of an earlier version may have invited them. */
function controlOf(links: readonly Link[], member: MemberRow): AccountControl {
  const open = links.filter((link) => link.provedAt === null)
  const latest = links
    .filter((link) => link.provedAt !== null)
    .reduce<Link | undefined>((last, link) => (isLater(link, last) ? link : last), undefined)
  return {
    countsAs: open.map((link) => ({
      id: link.personId,
      displayName: link.personName ?? 'A person of another organisation',
      kind: link.kind === 'reset' ? 'reset' : 'invited',
      at: link.createdAt.toISOString(),
      mailed: link.mailed,
    })),
    proof: open.length > 0 ? null : Proof.parse(latest?.proof ?? 'before'),
    provedAt: open.length > 0 ? null : (latest?.provedAt ?? member.createdAt).toISOString(),
    provedBy: open.length > 0 ? null : (latest?.voucherName ?? null),
  }
}

/** Of a guest, the mail is in the tenant that sent it. A link that the operator made replaces a mailed one, and proves control. */
function linkMailOf(
  newest: Link | undefined,
  mail: { delivery: string; error: string | null } | undefined,
): LinkMail | null {
  if (!showsMail(newest) || mail === undefined) return null
  return { delivery: Delivery.parse(mail.delivery), error: mail.error }
}

const Proof = AccountControl.shape.proof
const isLater = ({ provedAt }: Link, last: Link | undefined): boolean =>
  provedAt !== null && (last === undefined || last.provedAt === null || provedAt >= last.provedAt)

/** The member's current state. */
export async function memberView(tx: Transaction, tenant: TenantRef, id: string): Promise<Member> {
  const row = await findMemberById(tx, tenant.id, id)
  const [view] = row === undefined ? [] : await memberViews(tx, tenant, [row])
  if (view === undefined) throw new Error('unreachable: members are never deleted')
  return view
}

/**
 * Subjects of external providers can be any text; those of Countersign's own provider are UUIDs, and only these people
 * have links.
 */
const isUuid = (text: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
