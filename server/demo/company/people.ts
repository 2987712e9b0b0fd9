import type { DemoClient, DemoUser } from '#server/demo/tenants.ts'

/** The company's name, without what makes each demo tenant's own. */
export const companyName = 'Harbour Mutual'
export const mailDomain = 'harbour.example'

export const groups: readonly { name: string; displayName: string }[] = [
  { name: 'refund-approvers', displayName: 'Refund approvers' },
  { name: 'data-owners', displayName: 'Data owners' },
  { name: 'data-protection', displayName: 'Data protection' },
  { name: 'release-approvers', displayName: 'Release approvers' },
  { name: 'database-owners', displayName: 'Database owners' },
  { name: 'communications', displayName: 'Communications' },
  { name: 'claims-leads', displayName: 'Claims leads' },
  { name: 'finance', displayName: 'Finance' },
]

export const users: readonly DemoUser[] = [
  {
    username: 'priya',
    displayName: 'Priya Nair',
    roles: ['approver', 'operator'],
    groups: ['change-approvers', 'refund-approvers', 'communications', 'claims-leads'],
  },
  {
    username: 'felix',
    displayName: 'Felix Wagner',
    roles: ['approver'],
    groups: ['change-approvers', 'escalation', 'refund-approvers', 'finance'],
  },
  {
    username: 'amara',
    displayName: 'Amara Okoye',
    roles: ['approver', 'privacy_officer'],
    groups: ['escalation', 'data-owners', 'data-protection'],
  },
  {
    username: 'lucas',
    displayName: 'Lucas Meyer',
    roles: ['approver'],
    groups: ['data-owners', 'data-protection', 'database-owners', 'claims-leads'],
  },
  {
    username: 'daniel',
    displayName: 'Daniel Novak',
    roles: ['approver'],
    groups: ['change-approvers', 'release-approvers', 'database-owners', 'data-owners'],
  },
  {
    username: 'nora',
    displayName: 'Nora Lind',
    roles: ['approver'],
    groups: ['communications', 'finance', 'release-approvers'],
  },
  { username: 'sofia', displayName: 'Sofia Rossi', roles: ['developer'], groups: [] },
  { username: 'greta', displayName: 'Greta Olsen', roles: ['operator'], groups: [] },
  { username: 'victor', displayName: 'Victor Hale', roles: ['auditor'], groups: [] },
  { username: 'helena', displayName: 'Helena Brandt', roles: ['tenant_admin'], groups: [] },
]

/** The programs that start the agents' work, and the exporter of telemetry. */
export const clients: readonly DemoClient[] = [
  { clientId: 'helpdesk', displayName: 'Helpdesk', roles: ['operator'], createdBy: undefined },
  { clientId: 'claims-system', displayName: 'Claims system', roles: ['operator'], createdBy: undefined },
  { clientId: 'ci-pipeline', displayName: 'CI pipeline', roles: ['operator'], createdBy: 'sofia' },
  { clientId: 'telemetry', displayName: 'Telemetry', roles: ['traces:write'], createdBy: undefined },
]
