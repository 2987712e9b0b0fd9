import { assignableRoles } from '../users/roles.ts'
import { attribute, type Schema } from './attribute.ts'

const readOnly = { mutability: 'readOnly' } as const

export const userSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A member of the tenant who signs in at its own identity provider.',
  attributes: [
    attribute('externalId', 'The subject of the person: the claim sub of their access tokens. It can’t change.', {
      required: true,
      caseExact: true,
      mutability: 'immutable',
      uniqueness: 'server',
    }),
    attribute('userName', 'The name of the person at the provider.', { required: true, uniqueness: 'server' }),
    attribute('name', 'The parts of the person’s name.', {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'The full name.'),
        attribute('familyName', 'The family name.'),
        attribute('givenName', 'The given name.'),
        attribute('middleName', 'The middle names.'),
        attribute('honorificPrefix', 'A title, such as Ms.'),
        attribute('honorificSuffix', 'A suffix, such as III.'),
      ],
    }),
    attribute('displayName', 'The name that pages show.'),
    attribute('active', 'Whether the membership is in use. False suspends it immediately.', {
      type: 'boolean',
      required: true,
    }),
    attribute('emails', 'Mail addresses. The primary one, otherwise the first, gets mail.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The address.'),
        attribute('display', 'The address as it is displayed.'),
        attribute('type', 'What the address is for.', { canonicalValues: ['work', 'home', 'other'] }),
        attribute('primary', 'Whether this is the address to use.', { type: 'boolean' }),
      ],
    }),
    attribute('roles', 'Roles of the membership. The roles that decide, unmask or administer can’t be given here.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [attribute('value', 'The role.', { canonicalValues: assignableRoles, caseExact: true })],
    }),
    attribute('groups', 'The groups of the provider that the person is in.', {
      ...readOnly,
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the group.', { ...readOnly, caseExact: true }),
        attribute('$ref', 'The address of the group.', { ...readOnly, type: 'reference', referenceTypes: ['Group'] }),
        attribute('display', 'The name of the group.', readOnly),
        attribute('type', 'How the person belongs to it.', { ...readOnly, canonicalValues: ['direct'] }),
      ],
    }),
  ],
} as const satisfies Schema

export const enterpriseUser = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Attributes of RFC 7643 that are accepted and not stored. */
export const unstoredOfUser = [
  'nickName',
  'profileUrl',
  'title',
  'userType',
  'preferredLanguage',
  'locale',
  'timezone',
  'password',
  'phoneNumbers',
  'ims',
  'photos',
  'addresses',
  'entitlements',
  'x509Certificates',
]
