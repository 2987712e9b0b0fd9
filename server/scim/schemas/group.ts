import { attribute, type Schema } from './attribute.ts'

const immutable = { mutability: 'immutable' } as const

export const groupSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description:
    'A group of the identity provider. It has an effect once change-approvers map its name to an approver group.',
  attributes: [
    attribute('displayName', 'The name of the group, which a mapping names.', {
      required: true,
      caseExact: true,
      uniqueness: 'server',
    }),
    attribute('members', 'The people in the group.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the person.', { ...immutable, caseExact: true }),
        attribute('$ref', 'The address of the person.', { ...immutable, type: 'reference', referenceTypes: ['User'] }),
        attribute('type', 'The type of the member.', { ...immutable, canonicalValues: ['User'] }),
      ],
    }),
  ],
} as const satisfies Schema
