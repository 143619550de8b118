import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentOf } from '../../.ci/client-types.ts'
import { top } from '../arch/sources.ts'
import { childEnv } from '../support/child-env.ts'

const folder = mkdtempSync(join(tmpdir(), 'client-types-'))

beforeAll(() => {
  run('write-client-types.ts', folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

test('the table of reads is as the published npm clients know it', () => {
  expect(run('check-reads.ts', join(folder, 'splice'))).toMatch(/^the table of reads is as published/)
})

test('the localnet serves bodies that the published npm clients can read', () => {
  expect(run('check-localnet.ts', join(folder, 'splice'))).toBe(
    'every body of the localnet is as published\n',
  )
})

test('every operation of the published ledger client is served, or listed as not served', () => {
  expect(run('check-served.ts', join(folder, 'ledger-api/openapi-3.5.yaml'))).toContain(
    'what is published is served',
  )
})

test('types are read back into the schemas that they were made from', () => {
  const document = documentOf(`
    export interface paths {
        '/v0/names/{name}': { get: operations['lookup']; put?: never };
    }
    export interface components {
        schemas: {
            /** @enum {string} */
            Kind: 'one' | 'two';
            Name: { kind: components['schemas']['Kind']; ends_at?: string | null; [key: string]: unknown };
        };
        responses: never;
    }
    export interface operations {
        lookup: {
            parameters: { query?: never; path: { name: string } };
            requestBody?: never;
            responses: { 200: { content: { 'application/json': components['schemas']['Name'][] } } };
        };
    }`)
  expect(document).toMatchObject({
    paths: {
      '/v0/names/{name}': {
        get: {
          operationId: 'lookup',
          parameters: [{ name: 'name', in: 'path', required: true }],
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: { type: 'array', items: { $ref: '#/components/schemas/Name' } },
                },
              },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        Kind: { type: 'string', enum: ['one', 'two'] },
        Name: {
          type: 'object',
          properties: { kind: { $ref: '#/components/schemas/Kind' }, ends_at: { type: 'string' } },
          required: ['kind'],
          additionalProperties: {},
        },
      },
    },
  })
})

function run(script: string, ...args: readonly string[]): string {
  return execFileSync('node', [join(top, '.ci', script), ...args], { env: childEnv, encoding: 'utf8' })
}
