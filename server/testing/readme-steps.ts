/** The commands of an archive's README.txt in its order, by the step that they belong to. */
export function stepsIn(readme: string): Map<string, string> {
  const steps = new Map<string, string>()
  let step = ''
  for (const line of readme.split('\n')) {
    step = /^(\d+)\. /.exec(line)?.[1] ?? step
    if (/^ {3,4}(sha256sum|openssl|grep|sed) /.test(line)) steps.set(step, line.trim())
    if (line.startsWith('A SINGLE SPAN')) break
  }
  return steps
}

/** The commands of these steps. Throws for a step without one. */
export function readmeSteps(readme: Buffer | undefined, steps: readonly string[]): string[] {
  const commands = stepsIn(String(readme))
  return steps.map((step) => {
    const command = commands.get(step)
    if (command === undefined) throw new Error(`README.txt lacks the command of step ${step}.`)
    return command
  })
}
