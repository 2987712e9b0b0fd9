import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { type Role, roleNames } from '#lib/permissions.ts'
import { Actor, Id, PageInput, page, Reason, Revision, SlugName, Time } from './common.ts'
import { Delivery } from './mail.ts'

export const RoleName: z.ZodType<Role, Role> = z.enum(roleNames)
const Roles = z.array(RoleName).max(roleNames.length)

/** An external identity provider, exactly as the `iss` of its tokens. */
export const ProviderIssuer = z.string().trim().min(1).max(512)
/** A role or group at an identity provider, exactly as its tokens and SCIM name it. */
export const ProviderName = z
  .string()
  .trim()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, 'Use one line without control characters.')

export const MemberStatus = z.enum(['invited', 'active', 'suspended', 'removed'])
export type MemberStatus = z.infer<typeof MemberStatus>

/** A change that waits for another person's approval. */
export const PendingChange = z.object({ changeId: Id, approvalId: Id })
export type PendingChange = z.infer<typeof PendingChange>

/** A person who counts as the account's holder, because they invited or reset the account. */
export const LinkHolder = z.object({
  /** Null for someone who is not a member of this tenant. */
  id: Id.nullable(),
  displayName: z.string(),
  kind: z.enum(['invited', 'reset']),
  at: Time,
  /** The link was sent to the account's address and shown to no one. */
  mailed: z.boolean(),
})

/** Whether it is proved that the holder of a person's account controls it. */
export const AccountControl = z.object({
  /** Empty when it is proved: those who count as one person with the holder until then. */
  countsAs: z.array(LinkHolder),
  /** The latest proof. `before`: the account is older than these records and not reviewed. Null: not recorded. */
  proof: z.enum(['operator', 'provider', 'before', 'mail', 'vouch']).nullable(),
  provedAt: Time.nullable(),
  /** The member who vouched. */
  provedBy: z.string().nullable(),
})
export type AccountControl = z.infer<typeof AccountControl>

/** A reset that waits for approval, or is approved and waits to be carried out by its requester. */
export const PendingReset = z.object({ approvalId: Id, approved: z.boolean(), requestedBy: Id })

/** The mail with a one-time link. `error` is why it failed, or why its outcome is unknown. */
export const LinkMail = z.object({ delivery: Delivery, error: z.string().nullable() })
export type LinkMail = z.infer<typeof LinkMail>

export const Member = Actor.extend({
  email: z.string().nullable(),
  roles: z.array(z.string()),
  status: MemberStatus,
  /** Display names of the approver groups. */
  groups: z.array(z.string()),
  /** When the newest unused sign-in link expires. */
  linkExpiresAt: Time.nullable(),
  /** The mail of the newest invitation or reset, as long as that does not prove control. Null: its link was not sent by mail. */
  linkMail: LinkMail.nullable(),
  /** Requested roles that wait for approval. */
  pendingRoles: z.array(z.string()),
  pendingApprovalId: Id.nullable(),
  /** Null for a service account. */
  control: AccountControl.nullable(),
  pendingReset: PendingReset.nullable(),
  /** The only active person with the role tenant_admin. */
  isLastAdmin: z.boolean(),
  /** Signs in at another identity provider than this organisation's own realm here: an external one, or another organisation's. */
  isForeign: z.boolean(),
  /** The external identity provider at which the member signs in; null: in a realm here. Missing from a server of the version before. */
  issuer: z.string().nullable().optional(),
  /** What SCIM names the account; null: it does not manage the account. Missing from a server of the version before. */
  provisioned: z.object({ externalId: z.string() }).nullable().optional(),
  /** The identity provider whose tokens set the roles; null: the membership's roles are set here. */
  rolesFrom: z.string().nullable(),
  /** When the newest token of an external identity provider that the member has presented was issued. */
  tokenIssuedAt: Time.nullable(),
  /**
   * The last sign-in with a password, or the newest token of an external identity provider. Null: none is recorded, as for
   * accounts of another organisation.
   */
  lastSignInAt: Time.nullable(),
  /** How many passkeys the member has registered here. */
  passkeys: z.int(),
  createdAt: Time,
  revision: Revision,
})
export type Member = z.infer<typeof Member>

export const ListMembersInput = z.strictObject({
  ...PageInput,
  status: MemberStatus.optional(),
  kind: z.enum(['person', 'service_account']).optional(),
  /** `open`: someone else counts as the holder until control is proved. `before`: older than these records, for review. */
  control: z.enum(['open', 'before']).optional(),
  /** `none`: people without a passkey. */
  passkey: z.enum(['none']).optional(),
})
/** Where the accounts of people come from. */
export const AccountSource = z.object({
  /** The external identity provider that has all of them, so that no one can be invited here. Null: invitations create them. */
  provider: z.string().nullable(),
  /** The external identity provider whose people SCIM manages with a token that is valid now; null: none. */
  scim: z.string().nullable(),
})
export type AccountSource = z.infer<typeof AccountSource>

export const MemberList = page(Member).extend({
  /** Of all active people with the role approver, whatever the filters. */
  passkeys: z.object({ approvers: z.int(), withPasskey: z.int() }),
  /** Missing from a server of the version before. */
  accounts: AccountSource.optional(),
})

/** Stored in lower case: letters, digits, and the separators used in names and e-mail addresses. */
export const Username = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^[a-z0-9](?:[a-z0-9._@+-]{0,126}[a-z0-9])?$/,
    'Use letters and digits, with . _ @ + - only between them, up to 128 characters.',
  )
export const Email = z.string().trim().toLowerCase().max(254).pipe(z.email())

export const InviteInput = z.strictObject({
  email: Email,
  /** Default: the part of the address before the @, or the whole address if that is taken. */
  username: Username.optional(),
  displayName: z.string().trim().min(1).max(limits.personName),
  roles: Roles,
  reason: Reason.optional(),
})

/** A one-time sign-in link. With a mail server it is sent and null here; without one the caller gets it, once: a replay shows null. */
const SignInLink = {
  inviteUrl: z.string().nullable(),
  expiresAt: Time.nullable(),
  /** The next step for the caller, as a sentence. */
  notice: z.string(),
}
export const InviteOutput = z.object({ member: Member, ...SignInLink, change: PendingChange.nullable() })
export const ResetPasswordOutput = InviteOutput.extend({
  /** The number of passkeys removed by the reset; the member has to register new ones. */
  passkeysRemoved: z.int(),
  /** Their names. */
  removedPasskeys: z.array(z.string()),
})

const target = { id: Id, expectedRevision: Revision.optional() }

/** `roles` is the new set. Roles that need an approval are requested; the others change immediately. */
export const SetRolesInput = z.strictObject({
  id: Id,
  expectedRevision: Revision,
  roles: Roles,
  reason: Reason.optional(),
})
export const SetRolesOutput = z.object({ member: Member, change: PendingChange.nullable() })

export const SuspendMemberInput = z.strictObject({ ...target, reason: Reason })
export const ResumeMemberInput = z.strictObject({ ...target, reason: Reason.optional() })
export const RemoveMemberInput = z.strictObject({ ...target, reason: Reason })
export const ResetPasswordInput = z.strictObject({ ...target, reason: Reason.optional() })
/** The reason says how the caller made sure that the account's holder controls it. */
export const VouchInput = z.strictObject({ ...target, reason: Reason })
export const MemberOutput = z.object({ member: Member })

/** A group of an external identity provider, whose members get a seat in an approver group. */
export const GroupMapping = z.strictObject({ issuer: ProviderIssuer, name: ProviderName })
export type GroupMapping = z.infer<typeof GroupMapping>
const GroupMappings = z.array(GroupMapping).max(50)

/** A member whom a mapped group names. A token counts for 24 hours after it was issued. */
export const MappedMember = Actor.extend({ source: z.enum(['token', 'scim']), group: z.string() })

export const Group = z.object({
  id: Id,
  name: z.string(),
  displayName: z.string(),
  /** Those whom approved changes put into the group. */
  members: z.array(Actor),
  /** The groups of identity providers from which it takes further members. */
  mappings: z.array(GroupMapping),
  /** The members whom these groups name now. */
  mappedMembers: z.array(MappedMember),
  /** The approval that a proposed change of the members waits for. */
  pendingApprovalId: Id.nullable(),
  revision: Revision,
})
export type Group = z.infer<typeof Group>

/** A group that a provider manages by SCIM. It gives no right by itself: an approver group can take its members. */
export const ProvisionedGroup = z.object({
  id: Id,
  name: z.string(),
  /** What the provider calls it, if it says so. */
  externalId: z.string().nullable(),
  /** The first of its members, by their names. */
  members: z.array(Actor),
  memberCount: z.int(),
  /** Display names of the approver groups that take its members. */
  approverGroups: z.array(z.string()),
  /** The last change that the provider made. */
  changedAt: Time,
})
export type ProvisionedGroup = z.infer<typeof ProvisionedGroup>

export const GroupName = SlugName
const MemberIds = z.array(Id).max(200)

export const ListGroupsInput = z.strictObject({ ...PageInput })
export const GroupList = page(Group)
export const ListProvisionedGroupsInput = z.strictObject({ ...PageInput })
/** `issuer`: the external identity provider whose groups these are; null: none is configured, or several. */
export const ProvisionedGroupList = page(ProvisionedGroup).extend({ issuer: z.string().nullable() })
export const CreateGroupInput = z.strictObject({
  name: GroupName,
  displayName: z.string().trim().min(1).max(limits.groupDisplayName),
  /** Requested like any later change of the members: the group starts empty. */
  memberIds: MemberIds.default([]),
  /** Requested like the members. */
  mappings: GroupMappings.default([]),
  reason: Reason.optional(),
})
export const SetGroupMembersInput = z.strictObject({
  id: Id,
  expectedRevision: Revision,
  /** All members after the change, except those whom mapped groups name. */
  memberIds: MemberIds,
  /** All mapped groups of identity providers after the change; left out: they stay. */
  mappings: GroupMappings.optional(),
  reason: Reason.optional(),
})
export const GroupOutput = z.object({ group: Group, change: PendingChange.nullable() })
