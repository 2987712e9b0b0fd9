import { z } from 'zod'
import { personalLanguages } from '#lib/languages.ts'
import { parseAccent } from '#lib/rules/accent.ts'
import { maxImageBytes } from '#lib/rules/branding.ts'
import { Actor, Id, PageInput, page, Reason, Revision, RiskTier, Time } from './common.ts'
import { PendingChange, ProviderIssuer, ProviderName, RoleName } from './members.ts'

export const Branding = z.object({
  displayName: z.string(),
  logoUrl: z.string().nullable(),
  logoMarkUrl: z.string().nullable(),
  logoAlt: z.string(),
  accentColor: z.string().nullable(),
  coBranding: z.enum(['none', 'powered_by', 'dual']),
  /** The language for everyone who did not choose one; null: that of their browser, and English in mails. */
  language: z.enum(personalLanguages).nullable().default(null),
})
export type Branding = z.infer<typeof Branding>

const claimRule = 'Use the name of a claim, such as groups or realm_access.roles, without spaces.'
/** The path of a claim in a token: the name of a member, or names joined by dots. */
const ClaimPath = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\S+$/, claimRule)
  // Not a pattern: readers of a JSON Schema understand such a class only with a flag.
  .refine((path) => !/\p{C}/u.test(path), claimRule)

/** A name in the claim of roles, of one issuer, and the role that it gives. */
export const RoleMappingEntry = z.strictObject({ issuer: ProviderIssuer, name: ProviderName, role: RoleName })
export type RoleMappingEntry = z.infer<typeof RoleMappingEntry>

const settings = {
  separationOfDuties: z.enum(['required', 'off']),
  /** Whether a service account may decide approvals. */
  machineDecisions: z.enum(['on', 'off']),
  /** Whether unmasking a sensitive value requires a second person. */
  unmaskSecondPerson: z.enum(['required', 'off']),
  /** Approving a request with one of these risks requires the approver's passkey. */
  passkeyForTiers: z.array(RiskTier).max(4),
  /** Seconds from opening a request of high or critical risk to approving it, at least; null: none. */
  readingSeconds: z.int().min(1).max(3600).nullable(),
  /** Days for which traces and the content of executions are kept; null: without limit. */
  retentionDays: z.int().min(30).max(36_500).nullable(),
  /** Days for which evidence archives are kept after they were made; null: without limit. */
  archiveRetentionDays: z.int().min(1).max(36_500).nullable(),
  /** What an erasure does with archives that contain the subject. */
  archivesOnErasure: z.enum(['mark', 'delete']),
  /** Whether programs of other vendors may register themselves as clients (RFC 7591). */
  clientRegistration: z.enum(['on', 'off']),
  /** What decides the roles of members of external identity providers: the membership and the token, or the token alone. */
  rolesFrom: z.enum(['membership', 'token']),
  /** The claim of such a token that names roles. */
  roleClaim: ClaimPath,
  /** The roles that other names give. With `rolesFrom: token`, only these give approver, privacy_officer and tenant_admin. */
  roleMapping: z.array(RoleMappingEntry).max(50),
  /** The claim of such a token that names groups, which approver groups can take members from. */
  groupClaim: ClaimPath,
}
export const TenantSettings = z.object({
  separationOfDuties: settings.separationOfDuties.default('required'),
  machineDecisions: settings.machineDecisions.default('off'),
  unmaskSecondPerson: settings.unmaskSecondPerson.default('off'),
  passkeyForTiers: settings.passkeyForTiers.default([]),
  readingSeconds: settings.readingSeconds.default(null),
  retentionDays: settings.retentionDays.default(null),
  archiveRetentionDays: settings.archiveRetentionDays.default(null),
  archivesOnErasure: settings.archivesOnErasure.default('mark'),
  clientRegistration: settings.clientRegistration.default('off'),
  rolesFrom: settings.rolesFrom.default('membership'),
  roleClaim: settings.roleClaim.default('realm_access.roles'),
  roleMapping: settings.roleMapping.default([]),
  groupClaim: settings.groupClaim.default('groups'),
})
export type TenantSettings = z.infer<typeof TenantSettings>

/** tenants.current, field by field as in the specification. */
export const Tenant = z.object({
  id: Id,
  externalId: z.string(),
  name: z.string(),
  displayName: z.string(),
  branding: Branding,
})
export type Tenant = z.infer<typeof Tenant>

/** session.me: the caller in this tenant, so that the console can say why a control is blocked. */
/** A password reset that someone else made, which the account's holder has not acknowledged. */
export const AccountReset = z.object({
  id: Id,
  at: Time,
  /** Null: the operator of the installation. */
  by: z.string().nullable(),
  /** Names of the passkeys that it removed. */
  passkeysRemoved: z.array(z.string()),
})
export const AcknowledgeResetInput = z.strictObject({ id: Id })
export const AcknowledgeResetOutput = z.object({ id: Id })

/** Null: the organisation's default. */
export const ChooseLanguageInput = z.strictObject({ language: z.enum(personalLanguages).nullable() })
/** `id`: the caller's membership. */
export const ChooseLanguageOutput = z.object({ id: Id, language: z.enum(personalLanguages).nullable() })

export const Session = z.object({
  principal: Actor.extend({
    roles: z.array(z.string()),
    permissions: z.array(z.string()),
    groups: z.array(z.string()),
  }),
  tenant: Tenant,
  settings: TenantSettings,
  /** What the caller chose; null: the organisation's default, a part of its branding. */
  language: z.enum(personalLanguages).nullable(),
  /** Shown to the person before anything else, until they acknowledge it. */
  resets: z.array(AccountReset),
  /** Revision of the tenant's settings and branding, used as `expectedRevision` of a change. */
  tenantRevision: Revision,
  /** The installation has the demo tenants (SEED_DEMO), so the console offers experiments. */
  demo: z.boolean(),
})
export type Session = z.infer<typeof Session>

/** session.watch, over a socket that resumes by itself. */
export const WatchInput = z.strictObject({ lastEventId: z.string().max(64).optional() })
/** `changed`: session.me returns the caller's new membership. */
export type SessionEvent = { type: 'watching' | 'changed' | 'heartbeat'; at: string }

/** A tenant in which the caller has an active membership, for the switcher. */
export const Membership = z.object({
  id: Id,
  externalId: z.string(),
  name: z.string(),
  displayName: z.string(),
  branding: Branding,
  roles: z.array(z.string()),
  /** The tenant of this call. */
  current: z.boolean(),
})
export const ListTenantsInput = z.strictObject({ ...PageInput })
export const MembershipList = page(Membership)

const Image = z.strictObject({
  mediaType: z.enum(['image/png', 'image/svg+xml']),
  /** Base64. */
  data: z.base64().max(Math.ceil(maxImageBytes / 3) * 4, `Choose an image of at most ${maxImageBytes / 1024} KiB.`),
})

/** Members left out stay unchanged; null removes the value. */
export const UpdateBrandingInput = z.strictObject({
  expectedRevision: Revision.optional(),
  displayName: z.string().trim().min(1).max(80).optional(),
  logo: Image.nullable().optional(),
  logoMark: Image.nullable().optional(),
  logoAlt: z.string().trim().min(1).max(200).optional(),
  accentColor: z
    .string()
    .max(64)
    .refine((text) => parseAccent(text) !== undefined, 'Use a colour such as #0f766e or oklch(0.5 0.1 180).')
    .nullable()
    .optional(),
  coBranding: Branding.shape.coBranding.optional(),
  language: z.enum(personalLanguages).nullable().optional(),
})
export type UpdateBrandingInput = z.infer<typeof UpdateBrandingInput>
export const UpdateBrandingOutput = z.object({ tenant: Tenant, revision: Revision })

export const SettingsPatch = z.strictObject({
  separationOfDuties: settings.separationOfDuties.optional(),
  machineDecisions: settings.machineDecisions.optional(),
  unmaskSecondPerson: settings.unmaskSecondPerson.optional(),
  passkeyForTiers: settings.passkeyForTiers.optional(),
  readingSeconds: settings.readingSeconds.optional(),
  retentionDays: settings.retentionDays.optional(),
  archiveRetentionDays: settings.archiveRetentionDays.optional(),
  archivesOnErasure: settings.archivesOnErasure.optional(),
  clientRegistration: settings.clientRegistration.optional(),
  rolesFrom: settings.rolesFrom.optional(),
  roleClaim: settings.roleClaim.optional(),
  roleMapping: settings.roleMapping.optional(),
  groupClaim: settings.groupClaim.optional(),
})
export type SettingsPatch = z.infer<typeof SettingsPatch>

/** Members left out stay unchanged. Changes that make the tenant safer apply immediately, the others need an approval. */
export const UpdateSettingsInput = SettingsPatch.extend({ expectedRevision: Revision, reason: Reason.optional() })
export const SettingValue = z.union([z.string(), z.number(), z.null(), z.array(z.string()), z.array(RoleMappingEntry)])
export type SettingValue = z.infer<typeof SettingValue>
export const SettingValues = z.array(
  z.object({
    name: z.string(),
    before: SettingValue,
    after: SettingValue,
  }),
)
/** Changes of settings, newest first, as the audit log has them. */
export const SettingsHistory = z.object({
  items: z.array(
    z.object({
      auditId: Id,
      at: Time,
      /** Who set them, or proposed them. */
      by: z.string(),
      /** Who approved them; empty for changes that need no approval. */
      approvedBy: z.array(z.string()),
      approvalId: Id.nullable(),
      reason: z.string().nullable(),
      /** `before` is missing where an earlier version did not record it. */
      changes: z.array(z.object({ name: z.string(), before: SettingValue.optional(), after: SettingValue })),
    }),
  ),
})
export const GetSettingsOutput = z.object({
  settings: TenantSettings,
  revision: Revision,
  /** Requested changes that wait for approval; null: none. */
  pending: z.object({ approvalId: Id, changes: SettingValues }).nullable(),
  /** The external identity providers whose tokens this tenant accepts, as mappings name them. */
  issuers: z.array(z.string()),
})
export const UpdateSettingsOutput = z.object({
  settings: TenantSettings,
  revision: Revision,
  change: PendingChange.nullable(),
})
