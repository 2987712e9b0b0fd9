import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * A loader of Turbopack: puts calls in the place of an area's English messages (`components/texts/<area>/en.ts`). The packer finds
 * them in the finished scripts and puts the messages of each language there. cli/build-console.mjs writes the modules before the
 * build, because Next may run this with a Node that can't read TypeScript.
 */
export default function loadTexts() {
  const file = join(import.meta.dirname, '..', '..', '..', '.next', 'cache', 'texts.json')
  const area = basename(dirname(this.resourcePath))
  const module = JSON.parse(readFileSync(file, 'utf8'))[area]
  if (module === undefined) throw new Error(`${this.resourcePath} is not an area of components/texts.`)
  return module
}
