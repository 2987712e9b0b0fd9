import { buildConsole } from '../../../cli/build-console.mjs'

// Builds the console of another tree, with another program in the place of Next's.

const [root, next] = process.argv.slice(2)
if (root === undefined || next === undefined) throw new Error('The tree and the program are missing.')
await buildConsole({ root, next })
