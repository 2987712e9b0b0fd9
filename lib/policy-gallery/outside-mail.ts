import { askPeople, atMost, never, type PolicyTemplate, permitTool, rulesText } from './template.ts'

export const outsideMail: PolicyTemplate = {
  key: 'outside-mail',
  title: 'E-mail to outsiders',
  use: 'Mail within the company is sent. A person reads what leaves it.',
  name: 'mail-to-outsiders',
  purpose: 'Mail that leaves the company is read by a person first.',
  names: { tool: 'mail/send', group: 'communications' },
  sideEffect: 'irreversible',
  inputSchema: {
    type: 'object',
    properties: {
      to: { type: 'string' },
      subject: { type: 'string' },
      body: { type: 'string' },
      attachments: { type: 'integer' },
    },
    required: ['to', 'subject', 'body'],
  },
  source: ({ tool, group }) =>
    rulesText([
      permitTool(tool),
      askPeople('outsiders', {
        tool,
        title: 'Mail to other domains is decided by a person',
        message: 'The mail leaves the company.',
        terms: `@approval_group("${group}")\n@approval_ttl("PT8H")`,
        when: '!(context.arguments has to && context.arguments.to like "*@company.example")',
      }),
      never('outside-attachments', {
        tool,
        title: 'No attachments to other domains',
        code: 'ATTACHMENT_LEAVES',
        message: 'Files don’t leave the company by an agent’s mail.',
        when: 'context.arguments has attachments && context.arguments.attachments > 0 && !(context.arguments has to && context.arguments.to like "*@company.example")',
      }),
      atMost('mails-an-hour', { tool, title: 'At most 200 mails an hour', limit: 200, window: 'PT1H' }),
    ]),
  examples: [
    {
      title: 'To a colleague, with a file',
      arguments: { to: 'vera@company.example', subject: 'Report', body: 'Attached.', attachments: 1 },
    },
    {
      title: 'To a customer',
      arguments: { to: 'elif@mail.example', subject: 'Your claim', body: 'We have your documents.' },
    },
    {
      title: 'To a customer, with a file',
      arguments: { to: 'elif@mail.example', subject: 'Your claim', body: 'Attached.', attachments: 2 },
    },
  ],
}
