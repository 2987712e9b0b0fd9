/** An attribute as `/Schemas` describes it (RFC 7643, section 7), from which requests are also read. */
export type Attribute = {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime'
  multiValued: boolean
  description: string
  required: boolean
  caseExact: boolean
  mutability: 'readOnly' | 'readWrite' | 'immutable'
  returned: 'always' | 'default'
  uniqueness: 'none' | 'server'
  canonicalValues?: readonly string[]
  referenceTypes?: readonly string[]
  subAttributes?: readonly Attribute[]
}

/** What the attributes of most lines have. */
const usual = {
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const satisfies Partial<Attribute>

export const attribute = (
  name: string,
  description: string,
  differing: Partial<Omit<Attribute, 'name' | 'description'>> = {},
): Attribute => ({ ...usual, name, description, ...differing })

/** A schema: its URN, and its attributes without those that every resource has. */
export type Schema = { id: string; name: string; description: string; attributes: readonly Attribute[] }

/** Names of attributes are case-insensitive. */
export const find = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((one) => one.name.toLowerCase() === name.toLowerCase())
