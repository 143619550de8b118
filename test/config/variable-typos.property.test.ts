import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rows } from '../../src/base/config/rows.ts'
import { unknownVariables } from '../../src/base/config/unknown-variables.ts'

const options = rows.flatMap((row) => (row.at === 'option' && row.env !== undefined ? [row.env] : []))
const known = [...options, 'NODE_CONFIG', 'NODE_CONFIG_ENV', 'NODE_CONFIG_DIR']
/** Names of variables that other programs read. Each differs by one letter from a name that the daemon reads. */
const elsewhere = ['HTTPS_HOST', 'HTTPS_PORT', 'LOGLEVEL', 'REDIS_URI']

const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789abcxyz')

const typo = fc
  .record({
    name: fc.constantFrom(...known),
    at: fc.nat(),
    letter,
    edit: fc.constantFrom(
      'insert' as const,
      'remove' as const,
      'replace' as const,
      'swap' as const,
      'case' as const,
    ),
  })
  .map(({ name, at, letter, edit }) => {
    const i = at % name.length
    const [head, rest] = [name.slice(0, i), name.slice(i)]
    const [first = '', second = ''] = rest
    const typed = {
      insert: letter + rest,
      remove: rest.slice(1),
      replace: letter + rest.slice(1),
      swap: second + first + rest.slice(2),
      case: rest.toLowerCase(),
    }
    return { name, typed: head + typed[edit] }
  })
  .filter(({ typed }) => ![...known, ...elsewhere].includes(typed))
  // Programs read the variables of proxies in capitals or in lower case, so neither spelling is a typo.
  .filter(({ typed }) => !/^(https?|no|all|ftp)_proxy$/i.test(typed))

const found = (name: string, value = 'x') => unknownVariables({ [name]: value }, options, [])

describe('environment variables', () => {
  test('every typo of one letter of every known variable is a problem that names a known one', () => {
    fc.assert(
      fc.property(typo, ({ typed }) => {
        const { problems, warnings } = found(typed)
        expect(warnings).toEqual([])
        expect(problems).toHaveLength(1)
        expect(known).toContain(/did you mean (\w+)\?/.exec(problems[0] as string)?.[1] ?? problems[0])
      }),
      { numRuns: 5_000 },
    )
  })

  test('what Kubernetes sets for a service of any name is never a problem', () => {
    const service = fc
      .tuple(fc.constantFrom(...known, 'SCAN', 'REDIS', 'HTTP', 'NETWORK', 'LOCALNET'), fc.nat(65_535))
      .map(([name, port]) => ({ name, port }))
    fc.assert(
      fc.property(service, ({ name, port }) => {
        const links = {
          [`${name}_SERVICE_HOST`]: '10.0.0.1',
          [`${name}_SERVICE_PORT`]: String(port),
          [`${name}_SERVICE_PORT_WEB`]: String(port),
          [`${name}_PORT`]: `tcp://10.0.0.1:${port}`,
          [`${name}_PORT_${port}_TCP`]: `tcp://10.0.0.1:${port}`,
          [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
          [`${name}_PORT_${port}_TCP_ADDR`]: '10.0.0.1',
        }
        expect(unknownVariables(links, options, [])).toEqual({ problems: [], warnings: [] })
      }),
    )
  })

  test('a name that only shares its beginning with known ones is no problem', () => {
    const words = fc.array(fc.constantFrom('DIR', 'MODE', 'DATABASE', 'PASSWORD', 'RETRIES', 'VERSION_TAG'), {
      minLength: 2,
      maxLength: 3,
    })
    const prefix = fc.constantFrom('LOG', 'REDIS', 'NODE', 'HTTP', 'OTEL', 'CACHE', 'NO', 'AUTH')
    fc.assert(
      fc.property(prefix, words, (first, rest) => {
        expect(found([first, ...rest].join('_')).problems).toEqual([])
      }),
    )
  })
})
