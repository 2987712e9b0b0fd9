import { askPeople, never, type PolicyTemplate, permitTool, rulesText } from './template.ts'

export const dataExport: PolicyTemplate = {
  key: 'data-export',
  title: 'Data export',
  use: 'Small exports to known places run. Personal data and large exports wait for a person.',
  name: 'data-export',
  purpose: 'Where data may be exported to, and who decides about personal data.',
  names: { tool: 'warehouse/export_rows', group: 'data-protection' },
  sideEffect: 'write',
  inputSchema: {
    type: 'object',
    properties: {
      dataset: { type: 'string' },
      rows: { type: 'integer' },
      destination: { type: 'string' },
      personal: { type: 'boolean' },
    },
    required: ['dataset', 'rows', 'destination', 'personal'],
  },
  source: ({ tool, group }) =>
    rulesText([
      permitTool(tool),
      askPeople('personal-data', {
        tool,
        title: 'Exports of personal data are decided by a person',
        message: 'The export contains personal data.',
        terms: `@approval_group("${group}")\n@approval_ttl("P5D")`,
        when: '!(context.arguments has personal && !context.arguments.personal)',
      }),
      askPeople('large-exports', {
        tool,
        title: 'Exports of more than 10,000 rows are decided by a person',
        message: 'The export has more than 10,000 rows.',
        terms: `@approval_group("${group}")\n@approval_ttl("P5D")`,
        when: '!(context.arguments has rows && context.arguments.rows <= 10000)',
      }),
      never('known-destinations', {
        tool,
        title: 'Exports go to known places only',
        code: 'UNKNOWN_DESTINATION',
        message: 'Data may be exported to the archive, the reporting database or the auditor only.',
        when: '!(context.arguments has destination && ["archive", "reporting", "auditor"].contains(context.arguments.destination))',
      }),
    ]),
  examples: [
    {
      title: '2,400 rows of loss ratios to reporting',
      arguments: { dataset: 'loss-ratios', rows: 2400, destination: 'reporting', personal: false },
    },
    {
      title: '800 rows with personal data to the auditor',
      arguments: { dataset: 'claims', rows: 800, destination: 'auditor', personal: true },
    },
    {
      title: '41,208 rows to the archive',
      arguments: { dataset: 'policies', rows: 41_208, destination: 'archive', personal: false },
    },
    {
      title: '10 rows to an unknown place',
      arguments: { dataset: 'claims', rows: 10, destination: 'ftp.example.net', personal: false },
    },
  ],
}
