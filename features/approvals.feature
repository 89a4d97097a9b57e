Feature: What should not happen by itself waits for a human, and nothing waits for ever

    An operator says in the policy what needs an approval, from whom and by when. The governor never waits for the answer;
    work that waits is bounded, and every way out is a clear one.

    Scenario: A delegation five levels deep goes on when the owner lets it
        Given a governed process without an approvals section
        When  an agent delegates to "researcher" at depth 5
        Then  it waits, and the owner sees who asked for what
        When  the owner approves it
        Then  it goes on
        And   the same delegation waits again the next time

    Scenario Outline: Silence and refusals are clear
        Given a governed process without an approvals section
        When  an agent delegates to "researcher" at depth 5
        And   <event>
        Then  it is refused with <code>
        And   a client is told to come back: <again>

        Examples:
            | event                    | code                  | again |
            | the owner denies it      | PLM_APPROVAL_DENIED   | no    |
            | nobody answers           | PLM_APPROVAL_EXPIRED  | yes   |
            | memory reaches emergency | PLM_APPROVAL_LEVEL    | yes   |
            | the policy changes       | PLM_APPROVAL_STALE    | yes   |
            | the client goes away     | PLM_APPROVAL_ABORTED  | yes   |
            | the process ends         | PLM_APPROVAL_LOST     | yes   |

    Scenario: The ladder asks before it stops a session, and looks again before it does
        Given a ladder whose rung "scope.stop" needs an approval of "group:sre"
        When  the rung is reached for session 7
        Then  a ticket is open and the governor goes on
        When  "user:ada" of "sre" approves it after session 7 has ended
        Then  nothing is stopped and the ticket is "stale"

    Scenario: Nobody approves what they asked for themselves
        Given a governed process in which "agent:planner" is an approver
        When  "agent:planner" asks for a critical operation and approves it
        Then  the decision is refused with PLM_APPROVAL_SELF
        And   the operation still waits

    Scenario: At emergency the policy may decide, and people judge it afterwards
        Given a ladder whose rung "scope.stop" has a break-glass at emergency
        When  the rung is reached for session 7 and memory reaches emergency
        Then  session 7 is stopped by "policy"
        And   a review ticket asks whether that was right
