import type { AgentCard } from '@a2a-js/sdk';

/** How this process introduces itself to other agents. */
export function agentCard(options: {
  readonly service: string;
  readonly url: string;
  readonly version: string;
}): AgentCard {
  return {
    name: `Plimsoll memory governance of ${options.service}`,
    description: 'Takes decisions on memory operations that wait for an approval.',
    supportedInterfaces: [
      { url: options.url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
    ],
    provider: undefined,
    version: options.version,
    capabilities: { streaming: false, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: 'Token of an approver.', scheme: 'Bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['application/json', 'text/plain'],
    defaultOutputModes: ['application/json', 'text/plain'],
    skills: [
      {
        id: 'memory.approve',
        name: 'Approve a memory operation',
        description:
          'Send { "approval": ID } (or nothing for the most urgent one) to get a task that needs input; answer it with { "decision": "approve" or "deny", "digest": DIGEST, "comment": TEXT }.',
        tags: ['memory', 'approval'],
        examples: ['{ "approval": "7f3a" }', 'approve 2c26b46b68ffc68f the batch can wait'],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}
