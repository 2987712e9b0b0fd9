import { askPeople, never, type PolicyTemplate, permitTool, rulesText } from './template.ts'

export const deployments: PolicyTemplate = {
  key: 'deployments',
  title: 'Deployments',
  use: 'Staging is free. Production waits for a person, and a change of the schema for two groups.',
  name: 'deployments',
  purpose: 'Who decides what reaches production.',
  names: { tool: 'ci/deploy', group: 'release-approvers' },
  sideEffect: 'write',
  inputSchema: {
    type: 'object',
    properties: {
      service: { type: 'string' },
      version: { type: 'string' },
      target: { type: 'string' },
      migration: { type: 'boolean' },
    },
    required: ['service', 'version', 'target'],
  },
  source: ({ tool, group }) =>
    rulesText([
      permitTool(tool),
      askPeople('production', {
        tool,
        title: 'Deployments outside staging are decided by a person',
        message: 'The deployment changes what customers use.',
        terms: `@approval_group("${group}")\n@approval_ttl("PT4H")`,
        when: '!(context.arguments has target && context.arguments.target == "staging")',
      }),
      askPeople('migrations', {
        tool,
        title: 'Changes of the schema need two groups',
        message: 'The deployment changes the schema of a database.',
        terms: `@approval_stages("${group}, database-owners")\n@approval_ttl("P1D")`,
        when: 'context.arguments has migration && context.arguments.migration && !(context.arguments has target && context.arguments.target == "staging")',
      }),
      never('named-versions', {
        tool,
        title: 'Only numbered versions are deployed',
        code: 'VERSION_NOT_NAMED',
        message: 'Name the version. “latest” is not a version that can be reviewed.',
        when: '!(context.arguments has version && context.arguments.version like "*.*.*")',
      }),
    ]),
  examples: [
    {
      title: 'claims-api 4.18.0 to staging',
      arguments: { service: 'claims-api', version: '4.18.0', target: 'staging' },
    },
    {
      title: 'claims-api 4.18.0 to production',
      arguments: { service: 'claims-api', version: '4.18.0', target: 'production' },
    },
    {
      title: 'The same with a change of the schema',
      arguments: { service: 'claims-api', version: '4.18.0', target: 'production', migration: true },
    },
    { title: 'claims-api “latest”', arguments: { service: 'claims-api', version: 'latest', target: 'staging' } },
  ],
}
