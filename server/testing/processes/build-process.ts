import { buildConsole } from '../../../cli/build-console.mjs'

// Builds the console of another tree, with a replacement for Next's program.

const [root, next] = process.argv.slice(2)
if (root === undefined || next === undefined) throw new Error('The arguments must name the tree and the program.')
await buildConsole({ root, next })
