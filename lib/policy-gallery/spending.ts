import { askPeople, atMost, never, type PolicyTemplate, permitTool, rulesText } from './template.ts'

export const spending: PolicyTemplate = {
  key: 'spending',
  title: 'Spending',
  use: 'Small orders are placed, larger ones need a person, the largest a second group.',
  name: 'spending',
  purpose: 'Who decides about orders, by their amount.',
  names: { tool: 'procurement/place_order', group: 'budget-owners' },
  sideEffect: 'irreversible',
  inputSchema: {
    type: 'object',
    properties: {
      supplier: { type: 'string' },
      amount: { type: 'string', format: 'decimal' },
      currency: { type: 'string' },
    },
    required: ['supplier', 'amount', 'currency'],
  },
  source: ({ tool, group }) =>
    rulesText([
      permitTool(tool),
      askPeople('larger-orders', {
        tool,
        title: 'Orders above 200 are decided by a person',
        message: 'An order above 200.00 is decided by a person.',
        terms: `@approval_group("${group}")\n@approval_ttl("P3D")`,
        when: '!(context.arguments has amount && context.arguments.amount.lessThanOrEqual(decimal("200.00")))',
      }),
      askPeople('largest-orders', {
        tool,
        title: 'Orders above 5,000 also need finance',
        message: 'An order above 5,000.00 is decided by the budget’s owner and by finance.',
        terms: `@approval_stages("${group}, finance")\n@approval_ttl("P3D")`,
        when: '!(context.arguments has amount && context.arguments.amount.lessThanOrEqual(decimal("5000.00")))',
      }),
      never('euros-only', {
        tool,
        title: 'Orders are placed in euros',
        code: 'CURRENCY',
        message: 'The limits are in euros, so orders in other currencies are not placed.',
        when: '!(context.arguments has currency && context.arguments.currency == "EUR")',
      }),
      atMost('orders-a-day', { tool, title: 'At most 30 orders a day', limit: 30, window: 'P1D' }),
    ]),
  examples: [
    { title: 'Paper for €48.00', arguments: { supplier: 'Papier Krause', amount: '48.00', currency: 'EUR' } },
    { title: 'Chairs for €1,290.00', arguments: { supplier: 'Sitzwerk', amount: '1290.00', currency: 'EUR' } },
    { title: 'Servers for €18,400.00', arguments: { supplier: 'Rechenhaus', amount: '18400.00', currency: 'EUR' } },
    { title: 'Licences for $90.00', arguments: { supplier: 'Acme', amount: '90.00', currency: 'USD' } },
  ],
}
