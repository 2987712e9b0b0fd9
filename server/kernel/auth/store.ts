import { CompiledQuery, sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { listOf } from '#server/kernel/db/statements/steady-plan.ts'
import type { Tenant, TokenFamily } from './principal.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export type Member = {
  id: string
  kind: string
  username: string
  displayName: string
  roles: string[]
  status: string
  /** Tokens issued before this time are refused. */
  tokensNotBefore: Date | null
  /** When the newest token of an external issuer that the member has presented was issued. */
  tokenIssuedAt: Date | null
}

type AdmittedRow = {
  tenantId: string
  slug: string
  externalId: string
  name: string
  tenantDisplayName: string
  branding: unknown
  settings: unknown
  memberId: string | null
  familyEnded: boolean
  digest: string
} & Omit<Member, 'id'>

/** What the directory says about a caller; `digest` identifies all of it. */
export type Found = { tenant: Tenant; member: Member | undefined; familyEnded: boolean; digest: string }

/** What identifies a caller in the directory. */
export type Wanted = {
  externalId: string | undefined
  id: string | undefined
  issuer: string
  subject: string
  family: TokenFamily | undefined
}

/**
 * Binds a transaction of the directory to the tenant that matches all given names, and reads the principal's membership
 * in it, in one statement, which also checks that the family of the token has not ended. Undefined if the tenant does not exist;
 * `member` is undefined without a membership.
 */
export async function findCaller(
  tx: Transaction,
  { externalId, id, issuer, subject, family }: Wanted,
): Promise<Found | undefined> {
  if (id !== undefined && !uuid.test(id)) return undefined
  // PostgreSQL can't store NUL characters, so no tenant matches.
  if (externalId?.includes('\0') === true) return undefined
  const { rows } = await sql<AdmittedRow>`
    select a.*, encode(sha256(convert_to(a::text, 'UTF8')), 'base64') as digest from admit_caller(
      ${externalId ?? null}, ${id ?? null}, ${issuer}, ${subject},
      ${family?.tenantExternalId ?? null}, ${family?.id ?? null}
    ) a`.execute(tx)
  const [row] = rows
  if (row === undefined) return undefined
  const { tenantId, slug, name, tenantDisplayName, branding, settings, memberId, familyEnded, digest, ...member } = row
  return {
    tenant: {
      id: tenantId,
      slug,
      externalId: row.externalId,
      name,
      displayName: tenantDisplayName,
      branding,
      settings,
    },
    member: memberId === null ? undefined : { ...member, id: memberId },
    familyEnded,
    digest,
  }
}

/**
 * Binds a transaction of the directory to the tenant of a caller who was found before. Fails, and with it the transaction, if the
 * directory says anything else about them now.
 */
export const admitKnown = ({ externalId, id, issuer, subject, family }: Wanted, { digest }: Found): CompiledQuery =>
  CompiledQuery.raw('select admit_known($1, $2, $3, $4, $5, $6, $7)', [
    externalId ?? null,
    id ?? null,
    issuer,
    subject,
    family?.tenantExternalId ?? null,
    family?.id ?? null,
    digest,
  ])

/** The id of the tenant with this external id, from the directory. */
export async function findTenantId(tx: Transaction, externalId: string): Promise<string | undefined> {
  if (externalId.includes('\0')) return undefined
  const row = await tx.selectFrom('tenants').select('id').where('externalId', '=', externalId).executeTakeFirst()
  return row?.id
}

/** The membership of a principal, with the settings of the tenant. */
export const findMember = (tx: Transaction, tenantId: string, issuer: string, subject: string) =>
  membersWithSettings(tx, tenantId)
    .where('member.issuer', '=', issuer)
    .where('member.subject', '=', subject)
    .executeTakeFirst()

type Named = { issuer: string; subject: string }

/** The same for several principals; those without a membership are missing. */
export const findMembers = (tx: Transaction, tenantId: string, people: readonly Named[]) => {
  const [issuers, subjects] = [people.map(({ issuer }) => issuer), people.map(({ subject }) => subject)]
  return membersWithSettings(tx, tenantId)
    .select(['member.issuer', 'member.subject'])
    .where(
      sql<boolean>`(member.issuer, member.subject) in (select * from unnest(${listOf(issuers, 'text')}, ${listOf(subjects, 'text')}))`,
    )
    .execute()
}

const membersWithSettings = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('members as member')
    .innerJoin('tenants as tenant', 'tenant.id', 'member.tenantId')
    .leftJoin('memberTokens as token', (join) =>
      join
        .onRef('token.tenantId', '=', 'member.tenantId')
        .onRef('token.memberId', '=', 'member.id')
        .on('token.mac', 'is not', null),
    )
    .select(['member.id', 'member.kind', 'member.username', 'member.displayName', 'member.roles', 'member.status'])
    .select(['member.tokensNotBefore', 'token.issuedAt as tokenIssuedAt', 'tenant.settings'])
    .where('member.tenantId', '=', tenantId)
