import { askPeople, atMost, never, type PolicyTemplate, permitTool, rulesText } from './template.ts'

export const refunds: PolicyTemplate = {
  key: 'refunds',
  title: 'Refunds',
  use: 'Small refunds run, larger ones wait for a person, very large ones never happen.',
  name: 'refunds',
  purpose: 'Who decides about refunds, by their amount.',
  names: { tool: 'payments/issue_refund', group: 'refund-approvers' },
  sideEffect: 'irreversible',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      amount: { type: 'string', format: 'decimal' },
      currency: { type: 'string' },
      reason: { type: 'string' },
    },
    required: ['id', 'amount'],
  },
  source: ({ tool, group }) =>
    rulesText([
      permitTool(tool),
      askPeople('larger-refunds', {
        tool,
        title: 'Refunds above 50 are decided by a person',
        message: 'A refund above 50.00 is decided by a person.',
        terms: `@approval_group("${group}")\n@approval_quorum("1")\n@approval_ttl("P2D")`,
        when: '!(context.arguments has amount && context.arguments.amount.lessThanOrEqual(decimal("50.00")))',
      }),
      never('refund-ceiling', {
        tool,
        title: 'No refund above 5,000',
        code: 'REFUND_CEILING',
        message: 'A refund above 5,000.00 is not made by an agent.',
        when: 'context.arguments has amount && context.arguments.amount.greaterThan(decimal("5000.00"))',
      }),
      atMost('refunds-a-day', { tool, title: 'At most 100 refunds a day', limit: 100, window: 'P1D' }),
    ]),
  examples: [
    { title: 'A refund of €19.90', arguments: { id: 'A-1001', amount: '19.90', currency: 'EUR' } },
    { title: 'A refund of €420.00', arguments: { id: 'A-1002', amount: '420.00', currency: 'EUR' } },
    { title: 'A refund of €12,000.00', arguments: { id: 'A-1003', amount: '12000.00', currency: 'EUR' } },
  ],
}
