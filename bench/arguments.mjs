import { readArguments } from '../cli/arguments/read-arguments.mjs'

/** Read before the suite is loaded, which takes seconds. Must parse on Node 20. */
export const { values } = readArguments(
  'npm run bench -- [--full] [--only <case,case>] [--page] [--rivals] [--rounds <number>] [--segment-ms <number>]',
  {
    options: {
      full: { type: 'boolean', default: false },
      only: { type: 'string' },
      page: { type: 'boolean', default: false },
      rivals: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      'segment-ms': { type: 'string' },
    },
  },
)
