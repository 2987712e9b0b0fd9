import { dataExport } from '#lib/policy-gallery/data-export.ts'
import { deletion } from '#lib/policy-gallery/deletion.ts'
import { deployments } from '#lib/policy-gallery/deployments.ts'
import { outsideMail } from '#lib/policy-gallery/outside-mail.ts'
import { refunds } from '#lib/policy-gallery/refunds.ts'
import { askPeople, atMost, never, permitTool, rulesText } from '#lib/policy-gallery/template.ts'
import { mailDomain } from './people.ts'

export type CompanyAgent = {
  /** YAML. */
  manifest: string
  policy: { name: string; description: string; source: string }
}

type Parts = {
  name: string
  displayName: string
  description: string
  owner: string
  tier: string
  /** Indented YAML below `spec`. */
  spec: string
}

const manifestOf = ({ name, displayName, description, owner, tier, spec }: Parts): string => `apiVersion: governance/v1
kind: Agent
metadata:
  name: ${name}
  version: 1.0.0
  displayName: ${displayName}
spec:
  description: ${description}
  owner: ${owner}@${mailDomain}
  risk: { tier: ${tier} }
  limits: { timeout: PT15M, maxToolCalls: 20 }
  governance: { approvals: { expiresAfter: P7D } }
${spec}`

/** What each text of the gallery begins with concerns one tool; the others of an agent only read. */
const readsToo = (tool: string): string => `@id("reads")
@title("Looking things up is free")
permit (
  principal,
  action == Countersign::Action::"${tool}",
  resource
)
when { principal.allowedTools.contains(resource) };

`

const refundAssistant: CompanyAgent = {
  manifest: manifestOf({
    name: 'refund-assistant',
    displayName: 'Refund assistant',
    description: 'Refunds orders that customers returned',
    owner: 'greta',
    tier: 'high',
    spec: `  inputSchema: { type: object, properties: { orderId: { type: string, title: Order } }, required: [orderId] }
  runtime:
    steps:
      - id: order
        tool: { server: demo-shop, name: lookup_order, arguments: { id: "\${input.orderId}" } }
      - id: refund
        tool: { server: demo-shop, name: issue_refund, arguments: { id: "\${input.orderId}", amount: "\${steps.order.output.amount}", currency: EUR } }
  tools:
    - mcp: { server: demo-shop }
      allow: [lookup_order, issue_refund]
  data: { sensitive: [{ path: $.customer.email, class: pii.email }] }
  approvalCard:
    title: "Order \${input.orderId} of \${steps.order.output.customer.name}"
    facts:
      - { label: Customer, value: "\${steps.order.output.customer.name}" }
      - { label: Amount, value: "\${steps.order.output.amount} EUR" }
      - { label: Order status, value: "\${steps.order.output.status}" }
`,
  }),
  policy: {
    name: refunds.name,
    description: refunds.purpose,
    source:
      readsToo('demo-shop/lookup_order') +
      refunds.source({ tool: 'demo-shop/issue_refund', group: 'refund-approvers' }),
  },
}

const privacyDesk: CompanyAgent = {
  manifest: manifestOf({
    name: 'privacy-desk',
    displayName: 'Privacy desk',
    description: 'Deletes customer records when a customer asks for it',
    owner: 'greta',
    tier: 'critical',
    spec: `  inputSchema: { type: object, properties: { customer: { type: string, title: Customer }, ticket: { type: string, title: Ticket } }, required: [customer, ticket] }
  runtime:
    steps:
      - id: customer
        tool: { server: demo-crm, name: find_customer, arguments: { id: "\${input.customer}" } }
      - id: deletion
        tool: { server: demo-crm, name: delete_customer, arguments: { id: "\${input.customer}", ticket: "\${input.ticket}" } }
  tools:
    - mcp: { server: demo-crm }
      allow: [find_customer, delete_customer]
  data: { sensitive: [{ path: $.email, class: pii.email }] }
  approvalCard:
    title: "Delete \${input.customer}, ticket \${input.ticket}"
    facts:
      - { label: Customer since, value: "\${steps.customer.output.since}" }
      - { label: Open contracts, value: "\${steps.customer.output.contracts}" }
`,
  }),
  policy: {
    name: deletion.name,
    description: deletion.purpose,
    source:
      readsToo('demo-crm/find_customer') + deletion.source({ tool: 'demo-crm/delete_customer', group: 'data-owners' }),
  },
}

const reporting: CompanyAgent = {
  manifest: manifestOf({
    name: 'reporting',
    displayName: 'Reporting',
    description: 'Exports data sets for reports and audits',
    owner: 'sofia',
    tier: 'medium',
    spec: `  inputSchema:
    type: object
    properties:
      name: { type: string, title: Data set }
      rows: { type: integer, title: Rows }
      destination: { type: string, title: Destination }
      personal: { type: boolean, title: Contains personal data }
    required: [name, rows, destination, personal]
  runtime:
    steps:
      - id: export
        tool: { server: demo-warehouse, name: export_rows, arguments: { name: "\${input.name}", rows: "\${input.rows}", destination: "\${input.destination}", personal: "\${input.personal}" } }
  tools:
    - mcp: { server: demo-warehouse }
      allow: [export_rows]
  approvalCard:
    title: "\${input.rows} rows of \${input.name} to \${input.destination}"
`,
  }),
  policy: {
    name: dataExport.name,
    description: dataExport.purpose,
    source: dataExport.source({ tool: 'demo-warehouse/export_rows', group: 'data-protection' }),
  },
}

const releaseCaptain: CompanyAgent = {
  manifest: manifestOf({
    name: 'release-captain',
    displayName: 'Release captain',
    description: 'Rolls out new versions of services',
    owner: 'sofia',
    tier: 'high',
    spec: `  inputSchema:
    type: object
    properties:
      service: { type: string, title: Service }
      version: { type: string, title: Version }
      target: { type: string, title: Environment }
      migration: { type: boolean, title: Changes the schema }
    required: [service, version, target, migration]
  runtime:
    steps:
      - id: rollout
        tool: { server: demo-ci, name: roll_out, arguments: { name: "\${input.service} \${input.version}", service: "\${input.service}", version: "\${input.version}", target: "\${input.target}", migration: "\${input.migration}" } }
  tools:
    - mcp: { server: demo-ci }
      allow: [roll_out]
  approvalCard:
    title: "\${input.service} \${input.version} to \${input.target}"
`,
  }),
  policy: {
    name: deployments.name,
    description: deployments.purpose,
    source: deployments.source({ tool: 'demo-ci/roll_out', group: 'release-approvers' }),
  },
}

const letterWriter: CompanyAgent = {
  manifest: manifestOf({
    name: 'letter-writer',
    displayName: 'Letter writer',
    description: 'Writes to customers about their claims',
    owner: 'greta',
    tier: 'medium',
    spec: `  inputSchema:
    type: object
    properties:
      name: { type: string, title: Recipient }
      to: { type: string, title: E-mail }
      subject: { type: string, title: Subject }
      body: { type: string, title: Text }
      attachments: { type: integer, title: Attachments }
    required: [name, to, subject, body, attachments]
  runtime:
    steps:
      - id: letter
        tool: { server: demo-letters, name: send_letter, arguments: { name: "\${input.name}", to: "\${input.to}", subject: "\${input.subject}", body: "\${input.body}", attachments: "\${input.attachments}" } }
  tools:
    - mcp: { server: demo-letters }
      allow: [send_letter]
  data: { sensitive: [{ path: $.to, class: pii.email }] }
  approvalCard:
    title: "“\${input.subject}” to \${input.name}"
`,
  }),
  policy: {
    name: outsideMail.name,
    description: outsideMail.purpose,
    source: outsideMail
      .source({ tool: 'demo-letters/send_letter', group: 'communications' })
      .replaceAll('company.example', mailDomain),
  },
}

const payClaim = 'demo-bank/pay_claim'

const payoutDesk: CompanyAgent = {
  manifest: manifestOf({
    name: 'payout-desk',
    displayName: 'Payout desk',
    description: 'Pays out claims that were accepted',
    owner: 'greta',
    tier: 'critical',
    spec: `  inputSchema: { type: object, properties: { claim: { type: string, title: Claim } }, required: [claim] }
  runtime:
    steps:
      - id: claim
        tool: { server: demo-bank, name: find_claim, arguments: { id: "\${input.claim}" } }
      - id: payout
        tool: { server: demo-bank, name: pay_claim, arguments: { id: "\${input.claim}", amount: "\${steps.claim.output.amount}", currency: EUR } }
  tools:
    - mcp: { server: demo-bank }
      allow: [find_claim, pay_claim]
  data: { sensitive: [{ path: $.iban, class: financial }, { path: $.insured.email, class: pii.email }] }
  approvalCard:
    title: "Claim \${input.claim} of \${steps.claim.output.insured.name}"
    facts:
      - { label: Insured, value: "\${steps.claim.output.insured.name}" }
      - { label: Damage, value: "\${steps.claim.output.kind}" }
      - { label: Amount, value: "\${steps.claim.output.amount} EUR" }
`,
  }),
  policy: {
    name: 'claim-payouts',
    description: 'Who decides about payouts, by their amount.',
    source:
      readsToo('demo-bank/find_claim') +
      rulesText([
        permitTool(payClaim),
        askPeople('payouts', {
          tool: payClaim,
          title: 'A person decides each payout',
          message: 'A payout can’t be taken back, so a person decides it.',
          terms: '@approval_group("claims-leads")\n@approval_ttl("P3D")',
          when: '!(context.arguments has amount && context.arguments.amount.greaterThan(decimal("10000.00")))',
        }),
        askPeople('large-payouts', {
          tool: payClaim,
          title: 'Payouts above 10,000 also need finance',
          message: 'A payout above 10,000.00 is decided by the claims leads and by finance.',
          terms: '@approval_stages("claims-leads, finance")\n@approval_ttl("P3D")',
          when: 'context.arguments has amount && context.arguments.amount.greaterThan(decimal("10000.00"))',
        }),
        never('payout-ceiling', {
          tool: payClaim,
          title: 'No payout above 50,000',
          code: 'PAYOUT_CEILING',
          message: 'A payout above 50,000.00 is not made by an agent.',
          when: 'context.arguments has amount && context.arguments.amount.greaterThan(decimal("50000.00"))',
        }),
        atMost('payouts-a-day', { tool: payClaim, title: 'At most 40 payouts a day', limit: 40, window: 'P1D' }),
      ]),
  },
}

export const agents = {
  refunds: refundAssistant,
  erasures: privacyDesk,
  exports: reporting,
  deployments: releaseCaptain,
  letters: letterWriter,
  payouts: payoutDesk,
} as const

export type Work = keyof typeof agents
