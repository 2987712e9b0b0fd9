import type { Branding } from '#lib/schemas/tenants.ts'

export type DemoTenant = {
  slug: string
  externalId: string
  name: string
  displayName: string
  mailDomain: string
  branding: Branding
}

export const branding = (displayName: string, accentColor: string): Branding => ({
  displayName,
  logoUrl: null,
  logoMarkUrl: null,
  logoAlt: displayName,
  accentColor,
  coBranding: 'none',
  language: null,
})

/** Slug, external id and UUID differ on purpose, so that code that confuses them fails early. */
export const demoTenants: readonly DemoTenant[] = [
  {
    slug: 'northwind',
    externalId: 'org-northwind-mutual',
    name: 'Northwind Mutual',
    displayName: 'Northwind Mutual',
    mailDomain: 'northwind.example',
    branding: branding('Northwind Mutual', '#0f766e'),
  },
  {
    slug: 'globex',
    externalId: 'org-globex-2041',
    name: 'Globex Corporation',
    displayName: 'Globex',
    mailDomain: 'globex.example',
    branding: branding('Globex', '#9a3412'),
  },
]

export type DemoUser = { username: string; displayName: string; roles: string[]; groups: string[] }

const approverGroups = ['change-approvers', 'refund-approvers', 'escalation']

export const demoUsers: readonly DemoUser[] = [
  { username: 'maria', displayName: 'Maria Köhler', roles: ['developer', 'approver'], groups: approverGroups },
  { username: 'jonas', displayName: 'Jonas Berg', roles: ['approver'], groups: approverGroups },
  { username: 'anna', displayName: 'Anna Ruiz', roles: ['approver'], groups: approverGroups },
  { username: 'omar', displayName: 'Omar Haddad', roles: ['operator'], groups: [] },
  { username: 'vera', displayName: 'Vera Lindqvist', roles: ['auditor'], groups: [] },
  { username: 'pia', displayName: 'Pia Santos', roles: ['privacy_officer'], groups: [] },
  { username: 'tom', displayName: 'Tom Okafor', roles: ['tenant_admin'], groups: [] },
]

/** People of one demo tenant who are members of another one, too. */
export const demoGuests: readonly { username: string; home: string; tenant: string; roles: string[] }[] = [
  { username: 'anna', home: 'northwind', tenant: 'globex', roles: ['viewer', 'approver'] },
]

export type DemoClient = { clientId: string; displayName: string; roles: string[]; createdBy: string | undefined }

export const demoClients: readonly DemoClient[] = [
  { clientId: 'ci-pipeline', displayName: 'CI pipeline', roles: ['developer', 'operator'], createdBy: 'maria' },
  { clientId: 'decisions-bot', displayName: 'Decisions bot', roles: ['decisions:read'], createdBy: undefined },
  { clientId: 'audit-export', displayName: 'Audit export', roles: ['auditor'], createdBy: undefined },
  { clientId: 'telemetry', displayName: 'Telemetry', roles: ['traces:write'], createdBy: undefined },
  { clientId: 'admin-automation', displayName: 'Admin automation', roles: ['tenant_admin'], createdBy: undefined },
]
