import { askPeople, atMost, never, type PolicyTemplate, permitTool, rulesText } from './template.ts'

export const deletion: PolicyTemplate = {
  key: 'deletion',
  title: 'Deletion of records',
  use: 'Two people decide each deletion, and none happens without a ticket.',
  name: 'deletion-of-records',
  purpose: 'Deletions are decided by two people and limited in number.',
  names: { tool: 'crm/delete_customer', group: 'data-owners' },
  sideEffect: 'irreversible',
  inputSchema: {
    type: 'object',
    properties: { customer: { type: 'string' }, ticket: { type: 'string' }, includeInvoices: { type: 'boolean' } },
    required: ['customer'],
  },
  source: ({ tool, group }) =>
    rulesText([
      permitTool(tool),
      askPeople('two-people', {
        tool,
        title: 'Two people decide each deletion',
        message: 'A deletion can’t be undone, so two people decide it.',
        terms: `@approval_group("${group}")\n@approval_quorum("2")\n@approval_ttl("P3D")`,
      }),
      never('no-ticket', {
        tool,
        title: 'No deletion without a ticket',
        code: 'TICKET_REQUIRED',
        message: 'A deletion must name the ticket that asks for it.',
        when: '!(context.arguments has ticket && context.arguments.ticket != "")',
      }),
      never('keep-invoices', {
        tool,
        title: 'Invoices are kept',
        code: 'INVOICES_KEPT',
        message: 'Invoices must be kept for their legal period.',
        when: 'context.arguments has includeInvoices && context.arguments.includeInvoices',
      }),
      atMost('deletions-an-hour', { tool, title: 'At most 20 deletions an hour', limit: 20, window: 'PT1H' }),
    ]),
  examples: [
    { title: 'A customer, with a ticket', arguments: { customer: 'C-20418', ticket: 'PRIV-311' } },
    { title: 'A customer, without a ticket', arguments: { customer: 'C-20419' } },
    {
      title: 'A customer with their invoices',
      arguments: { customer: 'C-20420', ticket: 'PRIV-312', includeInvoices: true },
    },
  ],
}
