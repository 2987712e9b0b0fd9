// The commands of a release archive, in one bundle: `countersign-server <command> …`. In a clone, npm runs each by its own file.

const commands = {
  backup: () => import('../backup.mjs'),
  demo: () => import('../demo.mjs'),
  doctor: () => import('../doctor.mjs'),
  restore: () => import('../restore.mjs'),
  'rotate-master-key': () => import('../rotate-master-key.mjs'),
  tenant: () => import('../tenant.mjs'),
}

const [name] = process.argv.splice(2, 1)
const run = commands[name]
if (run === undefined) {
  process.stderr.write(`Usage: countersign-server start | ${Object.keys(commands).join(' | ')}\n`)
  process.exitCode = 2
} else {
  const { launchedBy } = await import('../../server/command-line.ts')
  launchedBy('countersign-server')
  await run()
}
