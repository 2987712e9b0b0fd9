import { expect, test } from 'vitest'
import { unknownTenants } from './unknown-tenants.ts'

const tenants = [
  { slug: 'globex', externalId: 'globex' },
  { slug: 'northwind', externalId: 'org-northwind-mutual' },
]
const issuer = {
  issuer: 'https://idp.example',
  audience: 'countersign',
  clientIds: ['portal'],
  serviceClientIds: [],
  algorithms: ['RS256' as const],
  tokenTypes: ['JWT' as const],
  subjectClaim: 'sub',
  scim: false,
}

test('a slug in place of the external id is told apart from a tenant that does not exist', () => {
  const found = unknownTenants(tenants, {
    issuers: [
      { ...issuer, tenant: 'northwind' },
      { ...issuer, tenant: 'globex' },
      { ...issuer, tenantClaim: 'org' },
    ],
    sinks: [{ name: 'soc', tenants: new Set(['globex', 'acme']) }],
  })
  expect(found).toEqual([
    {
      setting: 'TRUSTED_ISSUERS',
      text: 'https://idp.example: a tenant with the external id northwind does not exist; northwind is the slug of org-northwind-mutual.',
    },
    {
      setting: 'SIEM_SINKS',
      text: 'soc: a tenant with the external id acme does not exist (external ids: globex, org-northwind-mutual).',
    },
  ])
})
