// Dijkstra's algorithm: the distance from node 0 to the last node.
#include <bits/stdc++.h>
using namespace std;

int main() {
    int nodes, edges;
    cin >> nodes >> edges;
    vector<vector<pair<int, long long>>> neighbours(nodes);
    while (edges--) {
        int from, to;
        long long length;
        cin >> from >> to >> length;
        neighbours[from].push_back({to, length});
        neighbours[to].push_back({from, length});
    }
    vector<long long> distance(nodes, LLONG_MAX);
    priority_queue<pair<long long, int>, vector<pair<long long, int>>, greater<>> open;
    open.push({distance[0] = 0, 0});
    while (!open.empty()) {
        auto [so_far, node] = open.top();
        open.pop();
        if (so_far > distance[node]) continue;
        for (auto [to, length] : neighbours[node])
            if (so_far + length < distance[to]) open.push({distance[to] = so_far + length, to});
    }
    cout << distance[nodes - 1] << endl;
}
