import { readFileSync } from 'node:fs'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'

// Validates the bill of materials in a file against the published schema, by the library of CycloneDX's authors.

const [, , file = ''] = process.argv
const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(readFileSync(file, 'utf8'))
process.stdout.write(problem === null ? 'valid\n' : `${JSON.stringify(problem)}\n`)
